"""tiktoken behind every byte-level tokenizer: `LazyEncoding` builds its engine on first use.

`encode_known_pattern` handles white-space runs that are too long for tiktoken's regex engine, and
`byte_level_vocabulary` spells tokens as GPT-2's files do.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

import regex
import tiktoken

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.gpt2_bytes import to_gpt2_characters
from playground.catalog.shipped_vocabularies import RankLines, parse_ranks
from playground.core.lazy import Once
from playground.core.vocabulary import TableVocabulary

#: Encoding and decoding with a variable `encoding` of tiktoken, as `PythonProgram` takes them.
TIKTOKEN_EXPRESSIONS = ("encoding.encode(text, disallowed_special=())", "encoding.decode(ids)")
#: A run of at least this many characters is long. The engine gives up near 1,000,000.
MAX_WHITESPACE_RUN = 250_000


class LazyEncoding:
    """tiktoken's encoding of a definition; its ranks and its engine are made when first needed.

    The arguments are those of `tiktoken.Encoding`; ranks may also be the lines of a `.tiktoken` file. An
    engine takes 0.2 s for 100,000 tokens, and counting large files needs none: the compiled encoder reads the
    lines.

    >>> encoding = LazyEncoding("toy", pat_str=r"\\w+", mergeable_ranks={b"a": 0}, special_tokens={})
    >>> encoding.engine.encode_ordinary("aa")
    [0, 0]
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int] | RankLines,
        special_tokens: Mapping[str, int],
    ) -> None:
        self.name = name
        self.pattern = pat_str
        self.special_tokens = dict(special_tokens)
        #: The file's lines while nobody has asked for the parsed ranks; None afterwards.
        self.rank_lines: RankLines | None = None
        self._ranks: Once[Mapping[bytes, int]] = Once()
        if isinstance(mergeable_ranks, bytes):
            self.rank_lines = mergeable_ranks
        else:
            self._ranks.get(lambda: mergeable_ranks)
        self._engine: Once[tiktoken.Encoding] = Once()
        self._uncut: Once[tiktoken.Encoding] = Once()

    @property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """Map each token's bytes to its rank."""
        return self._ranks.get(self._parse)

    @property
    def engine(self) -> tiktoken.Encoding:
        """The encoding in tiktoken."""
        return self._engine.get(
            lambda: tiktoken.Encoding(
                self.name,
                pat_str=self.pattern,
                mergeable_ranks=dict(self.mergeable_ranks),
                special_tokens=self.special_tokens,
            )
        )

    def encode_pretoken(self, text: str) -> Sequence[int]:
        """Return the ids of a text that is merged as one pretoken.

        >>> toy = LazyEncoding("toy", pat_str="a", mergeable_ranks={b"a": 0, b"aa": 1}, special_tokens={})
        >>> toy.encode_pretoken("aa"), toy.engine.encode_ordinary("aa")
        ([1], [0, 0])
        """
        uncut = self._uncut.get(
            lambda: tiktoken.Encoding(
                self.name, pat_str=r"(?s:.+)", mergeable_ranks=dict(self.mergeable_ranks), special_tokens={}
            )
        )
        return uncut.encode_ordinary(text)

    def _parse(self) -> Mapping[bytes, int]:
        assert self.rank_lines is not None
        ranks = parse_ranks(self.rank_lines)
        self.rank_lines = None
        return ranks


def byte_level_vocabulary(
    name: str,
    ids: Iterable[int],
    raws: Iterable[bytes],
    *,
    ranks: Iterable[int],
    special_tokens: Mapping[str, int],
    id_of: Mapping[bytes, int] | None = None,
) -> TableVocabulary:
    """Return a vocabulary whose tokens are spelled as GPT-2's and Hugging Face's files spell bytes.

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


def encode_known_pattern(encoding: LazyEncoding, text: str) -> list[int]:
    """Return the ids that tiktoken's `encode_ordinary` would give if its engine had no limit.

    The encoding's pattern must be one of `SPLIT_PATTERNS`. Time is linear in the text.

    >>> from playground.catalog.openai import load_openai
    >>> encode_known_pattern(load_openai("gpt2").lazy, " " * 250_001 + "a")[-2:]
    [220, 257]
    """
    if len(text) < MAX_WHITESPACE_RUN:
        return encoding.engine.encode_ordinary(text)
    ids: list[int] = []
    for part, is_pretoken in _iter_parts(encoding.pattern, text):
        ids.extend(encoding.encode_pretoken(part) if is_pretoken else encoding.engine.encode_ordinary(part))
    return ids


def iter_long_runs(text: str, n_long: int) -> Iterator[tuple[int, int]]:
    r"""Yield the half-open span of each run of `n_long` or more white-space characters.

    Every such run covers a multiple of `n_long`, so only those places are looked at, and no character twice.

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


def _iter_parts(pattern: str, text: str) -> Iterator[tuple[str, bool]]:
    """Yield `(part, is_pretoken)`; a long run of white space is a pretoken, the text between runs is not."""
    position = 0
    before, seen = "", 0  # `before + text[seen:start]` replaces the text before a run
    for start, end in iter_long_runs(text, MAX_WHITESPACE_RUN):
        line_ends = regex.compile(r"[\r\n]++").match(text, start, end)
        if line_ends and _takes_line_ends(pattern, before + text[seen:start]):
            start = line_ends.end()
            if start == end:
                # The whole run belongs to the punctuation before it, which the engine takes at any length.
                before, seen = "!\n", end
                continue
        if start > position:
            yield text[position:start], False
        # A pretoken after the run takes at most the run's last character; its first character decides.
        is_last = end == len(text)
        pieces = list(regex.finditer(pattern, text[start:end] + with_stand_ins(text[end : end + 1])))
        if not is_last:
            end = start + pieces.pop().start()
        for piece in pieces:
            yield piece.group(), True
        position = seen = end
        before = ""
    if position < len(text):
        yield text[position:], False


def _takes_line_ends(pattern: str, text: str) -> bool:
    """Whether the last pretoken of a text would continue over line ends, as punctuation does in cl100k.

    tiktoken's engine decides, because what counts as punctuation depends on its Unicode tables. The probe's
    only merges are of a byte with a line feed, so a merge at the end shows that both are in one pretoken.
    """
    return bool(text) and _line_end_probe(pattern).encode_ordinary(f"{text}\n")[-1] >= 256


@cache
def _line_end_probe(split_pattern: str) -> tiktoken.Encoding:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {bytes([byte, 0x0A]): 256 + byte for byte in range(256)}
    return tiktoken.Encoding("probe", pat_str=split_pattern, mergeable_ranks=ranks, special_tokens={})
