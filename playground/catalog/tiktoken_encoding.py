"""What all byte-level tokenizers have in common: a vocabulary of bytes, and how tiktoken is called."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import regex
import tiktoken

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.gpt2_bytes import to_gpt2_characters
from playground.catalog.shipped_vocabularies import RankLines, parse_ranks
from playground.core.lazy import Once
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


#: A run of at least this many characters is long.
MAX_WHITESPACE_RUN = 250_000


def encode_known_pattern(encoding: tiktoken.Encoding, text: str) -> list[int]:
    """The ids that `encoding.encode_ordinary` would give if its engine had no limit.

    The encoding has one of `SPLIT_PATTERNS`. Takes time in proportion to the text.

    >>> from playground.catalog.openai import load_openai
    >>> encode_known_pattern(load_openai("gpt2").encoding, " " * 250_001 + "a")[-2:]
    [220, 257]
    """
    if len(text) < MAX_WHITESPACE_RUN:
        return encoding.encode_ordinary(text)
    ids: list[int] = []
    for part, is_run in _iter_parts(encoding, text):
        if is_run:
            ids.extend(encoding._core_bpe.encode_single_piece(part.encode()))
        else:
            ids.extend(encoding.encode_ordinary(part))
    return ids


def iter_long_runs(text: str, n_long: int) -> Iterator[tuple[int, int]]:
    r"""Yield where each run of `n_long` or more white-space characters starts and ends.

    A run that long covers one of the places looked at, so texts without one cost next to nothing, and no
    character is looked at twice.

    >>> list(iter_long_runs("a  b \n c", 3))
    [(4, 7)]
    """
    spaces, spaces_before = regex.compile(r"\s++"), regex.compile(r"(?r)\s++")
    end = 0
    for place in range(n_long - 1, len(text), n_long):
        if place < end:
            continue
        ahead = spaces.match(text, place)
        if ahead is None:
            continue
        before = spaces_before.match(text, end, place)
        start, end = before.start() if before else place, ahead.end()
        if end - start >= n_long:
            yield start, end


def _iter_parts(encoding: tiktoken.Encoding, text: str) -> Iterator[tuple[str, bool]]:
    """Yield `(part, is_run)`; parts begin where pretokens do, and each run is one pretoken."""
    position = 0
    before, seen = "", 0  # what stands for `text[:seen]` when it is asked what comes before a run
    for start, end in iter_long_runs(text, MAX_WHITESPACE_RUN):
        line_ends = regex.compile(r"[\r\n]++").match(text, start, end)
        if line_ends and _takes_line_ends(encoding, before + text[seen:start]):
            start = line_ends.end()
            if start == end:
                # All of it belongs to the punctuation before, which the engine takes at any length.
                before, seen = "!\n", end
                continue
        if start > position:
            yield text[position:start], False
        # What follows a run takes at most its last character; the first of it tells whether it does.
        is_last = end == len(text)
        pieces = list(
            regex.finditer(encoding._pat_str, text[start:end] + with_stand_ins(text[end : end + 1]))
        )
        if not is_last:
            end = start + pieces.pop().start()
        for piece in pieces:
            yield piece.group(), True
        position = seen = end
        before = ""
    if position < len(text):
        yield text[position:], False


def _takes_line_ends(encoding: tiktoken.Encoding, text: str) -> bool:
    """Whether the last pretoken of a text would go on over line ends, as punctuation does in cl100k.

    tiktoken's engine decides, for what is punctuation depends on its Unicode tables: in a vocabulary whose
    only merges are of a byte and a line feed, a merge at the end shows that both are in one pretoken.
    """
    if not text:
        return False  # nothing is before it
    return _line_end_probe(encoding._pat_str).encode_ordinary(f"{text}\n")[-1] >= 256


@cache
def _line_end_probe(split_pattern: str) -> tiktoken.Encoding:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {bytes([byte, 0x0A]): 256 + byte for byte in range(256)}
    return tiktoken.Encoding("probe", pat_str=split_pattern, mergeable_ranks=ranks, special_tokens={})


class LateEncoding(tiktoken.Encoding):
    """What a `tiktoken.Encoding` of the same definition is; its engine takes 0.2 s for 100,000 tokens.

    >>> encoding = LateEncoding("toy", pat_str=r"\\w+", mergeable_ranks={b"a": 0}, special_tokens={})
    >>> "_core_bpe" in vars(encoding), encoding.encode_ordinary("aa"), "_core_bpe" in vars(encoding)
    (False, [0, 0], True)
    """

    def __init__(
        self, name: str, *, pat_str: str, mergeable_ranks: dict[bytes, int] | RankLines,
        special_tokens: dict[str, int], explicit_n_vocab: int | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self._pat_str = pat_str
        #: The file of ranks, as long as nobody has asked for them.
        self.rank_lines: RankLines | None = None
        if isinstance(mergeable_ranks, dict):
            self._mergeable_ranks = mergeable_ranks
        else:
            self.rank_lines = mergeable_ranks
        self._parsed: Once[dict[bytes, int]] = Once()
        self._special_tokens = special_tokens
        self._n_vocab = explicit_n_vocab
        self._made: Once[Mapping[str, Any]] = Once()

    def __getattr__(self, attribute: str) -> Any:
        """What tiktoken sets in a whole encoding: asked for once, as it then is an attribute of this one."""
        if attribute == "_mergeable_ranks":
            self._mergeable_ranks = self._parsed.get(self._parse)
            self.rank_lines = None
            return self._mergeable_ranks
        if attribute not in ("_core_bpe", "max_token_value", "_special_token_values"):
            raise AttributeError(f"{type(self).__name__} has no attribute {attribute!r}")
        vars(self).update(self._made.get(self._whole))
        return vars(self)[attribute]

    def _parse(self) -> dict[bytes, int]:
        assert self.rank_lines is not None  # it is let go once they are parsed
        return parse_ranks(self.rank_lines)

    def _whole(self) -> Mapping[str, Any]:
        return vars(
            tiktoken.Encoding(
                self.name,
                pat_str=self._pat_str,
                mergeable_ranks=self._mergeable_ranks,
                special_tokens=self._special_tokens,
                explicit_n_vocab=self._n_vocab,
            )
        )
