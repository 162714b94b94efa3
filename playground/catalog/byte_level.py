"""What all byte-level tokenizers have in common: a vocabulary of bytes, and how tiktoken is called."""

from collections.abc import Iterable, Mapping

from playground.bpe.gpt2_bytes import to_gpt2_characters
from playground.core.vocabulary import TableVocabulary

#: Encoding and decoding with an `encoding` of tiktoken, as `PythonProgram` wants them.
TIKTOKEN_EXPRESSIONS = ("encoding.encode(text, disallowed_special=())", "encoding.decode(ids)")


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
