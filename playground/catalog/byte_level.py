"""What all byte-level tokenizers have in common: a vocabulary of bytes, and how tiktoken is called."""

from collections.abc import Iterable, Mapping

import tiktoken

from playground.bpe.gpt2_bytes import to_gpt2_characters
from playground.core.vocabulary import TableVocabulary

#: Encoding and decoding with an `encoding` of tiktoken, as `PythonProgram` wants them.
TIKTOKEN_EXPRESSIONS = ("encoding.encode(text, disallowed_special=())", "encoding.decode(ids)")
#: A pretoken of so many bytes is merged without the interpreter: 1 MB of them takes half a second.
LONG_BYTES = 10_000


def byte_level_vocabulary(
    name: str,
    ids: Iterable[int],
    raws: Iterable[bytes],
    *,
    ranks: Iterable[int],
    special_tokens: Mapping[str, int],
    id_of: Mapping[bytes, int] | None = None,
) -> TableVocabulary:
    """A vocabulary whose tokens are spelled as Hugging Face's files and GPT-2's spell bytes.

    >>> vocabulary = byte_level_vocabulary("toy", [0, 1], [b" ", b" a"], ranks=[0, 1], special_tokens={})
    >>> vocabulary.entry(1).spelled, vocabulary.entry(0).kind
    ('Ġa', 'byte')
    """
    ids, raws = list(ids), list(raws)
    return TableVocabulary(
        name,
        ids,
        raws,
        ranks=ranks,
        kinds={token_id: "byte" for token_id, raw in zip(ids, raws, strict=True) if len(raw) == 1},
        special_tokens=special_tokens,
        spell=lambda _token_id, raw: to_gpt2_characters(raw),
        id_of=id_of,
    )


def whole_encoding(name: str, mergeable_ranks: Mapping[bytes, int]) -> tiktoken.Encoding:
    """An encoding that cuts nothing: it merges each text as one pretoken.

    >>> whole_encoding("toy", {b"a": 0, b" ": 1, b" a": 2, b"a a": 3}).encode_ordinary("a a")
    [3]
    """
    return tiktoken.Encoding(
        name, pat_str=r"(?s:.+)", mergeable_ranks=dict(mergeable_ranks), special_tokens={}
    )
