"""Claude's tokenizers, reconstructed: counts of tokens, and one possible way to cut a text into them.

Anthropic publishes no tokenizer for Claude 3 or later. The package `ctok` (MIT, Sander Land) reconstructs one
from the answers of Anthropic's counting service. The pieces here are those of `ctok`, and counts equal its
counts. A text is rewritten (`claude_marks`) and cut into the smallest possible number of pieces.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import regex

from playground.catalog.claude_marks import (
    BOW,
    CAPS,
    EOW,
    MARK_NAMES,
    SHIFT,
    Piece,
    Rules,
    Source,
    iter_pieces,
    normalize,
)
from playground.catalog.shipped_vocabularies import About, check_hash, read_vocabulary
from playground.core.building import Given, Pretoken
from playground.core.encoding import Encoding
from playground.core.short_texts import cache_short
from playground.core.text_units import character_of_bytes, is_utf8
from playground.core.tokenizer import NO_SPECIAL, PythonProgram, RestOfText, replace_lone_surrogates
from playground.core.vocabulary import TableVocabulary


class Generation(NamedTuple):
    """How a generation of Claude is reconstructed.

    `n_frame` is the number of tokens that one user message has besides those of its text. `ctok_version` is
    what `ctok` calls the generation.
    """

    about: About
    vocabulary: str
    rules: Rules
    n_frame: int
    ctok_version: str


_KIND = "reconstructed, not exact"
#: The generations, by name.
GENERATIONS = {
    "claude_3": Generation(
        About("Claude 3 to Opus 4.6", _KIND, 48_927, "MIT"),
        "claude_3", Rules(folds_quotes=True, has_caps=True, frame_is_word_start=True), 7, "3.0",
    ),
    "claude_4_7": Generation(
        About("Claude Opus 4.7", _KIND, 15_415, "MIT"),
        "claude_4_7", Rules(folds_quotes=False, has_caps=False, frame_is_word_start=True), 11, "4.7",
    ),
    "claude_4_8": Generation(
        About("Claude Opus 4.8, Sonnet 5 and later", _KIND, 15_415, "MIT"),
        "claude_4_7", Rules(folds_quotes=False, has_caps=False, frame_is_word_start=False), 6, "4.8",
    ),
}  # fmt: skip
#: The SHA-256 of each vocabulary.
_HASHES = {
    "claude_3": "ad61454a74dfe2c34bb384721dea6efcb9cb90cd3c4f271b0d3d9b16130abef0",
    "claude_4_7": "54c5ba8de58010850d753dfde6c06a4a7ff8871a37b27b2a973eb2a5d717c4ed",
}
_WHY = (
    "Claude has no known merges: its tokenizer is reconstructed from token counts, and these tokens are one "
    "possible cut into the smallest number of pieces."
)


class Tile(NamedTuple):
    """A token of `n_chars` characters of a text; `has_start` tells whether it contains the start of a word.

    For a part of a character, `bytes` are the part's start and end in it, and its length; otherwise None.
    """

    id: int
    n_chars: int
    bytes: tuple[int, int, int] | None = None
    has_start: bool = False


class Pieces:
    """The vocabulary of a generation: cuts a marked text into the smallest number of pieces.

    Ids are places in our list of the pieces, byte sequences and single bytes; Claude's own ids are not known.

    >>> pieces = load_pieces("claude_4_7")
    >>> [pieces.names[tile.id] for tile in pieces.tile(BOW + "hello" + EOW)]
    ['⟨bow⟩h', 'ello⟨eow⟩']
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        #: Each token: a piece with its marks, or bytes that are part of a character.
        self.tokens = [*map(_parse, names)]
        self._ids = {token: token_id for token_id, token in enumerate(self.tokens)}
        self._longest: dict[str, int] = {}
        for token in self.tokens:
            if isinstance(token, str):
                self._longest[token[-1]] = max(len(token), self._longest.get(token[-1], 0))
        self._piece_tiles: dict[str, Tile] = {}
        self.tile = cache_short(self._tile)
        self._tiles_of = cache_short(self._tiles_of_character)

    def raw_of(self, token_id: int) -> bytes:
        """Return the bytes of a token: those of its characters, capital where a mark says so."""
        token = self.tokens[token_id]
        return token if isinstance(token, bytes) else _unmark(token).encode()

    def _tile(self, marked: str) -> tuple[Tile, ...]:
        """Return the fewest tokens of a marked text; of equal cuts the one with longer last tokens."""
        costs, starts = [0], [0]
        for end in range(1, len(marked) + 1):
            character = marked[end - 1]
            best, start = costs[-1] + len(self._tiles_of(character)), end - 1
            for first in range(end - 2, max(end - self._longest.get(character, 0), 0) - 1, -1):
                if costs[first] < best and marked[first:end] in self._ids:
                    best, start = costs[first] + 1, first
            costs.append(best)
            starts.append(start)
        tiles: list[Tile] = []
        end = len(marked)
        while end:
            start = starts[end]
            part = marked[start:end]
            tiles += [self._tile_of(part)] if part in self._ids else self._tiles_of(part)[::-1]
            end = start
        return tuple(tiles[::-1])

    def _tile_of(self, piece: str) -> Tile:
        """Return the one tile of a piece, which all texts share."""
        tile = self._piece_tiles.get(piece)
        if tile is None:
            n_chars = sum(character not in MARK_NAMES for character in piece)
            tile = self._piece_tiles[piece] = Tile(self._ids[piece], n_chars, has_start=BOW in piece)
        return tile

    def _tiles_of_character(self, character: str) -> tuple[Tile, ...]:
        """Return the tokens of a single character: its own, or those of its bytes."""
        if character in self._ids:
            return (self._tile_of(character),)
        raw = character.encode()
        cuts: list[tuple[tuple[int, int], ...]] = [()]
        for end in range(1, len(raw) + 1):
            cuts.append(
                min(
                    ((*cuts[first], (first, end)) for first in range(end) if raw[first:end] in self._ids),
                    key=len,
                )
            )
        return tuple(
            Tile(self._ids[raw[first:end]], int(end == len(raw)), (first, end, len(raw)))
            for first, end in cuts[-1]
        )


@cache
def load_pieces(name: str) -> Pieces:
    """Load a vocabulary. Raises VocabularyFileError."""
    file_name = f"{name}.json"
    data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, _HASHES[name], source="the shipped file")
    return Pieces(json.loads(data))


@dataclass(frozen=True)
class ClaudeTokenizer:
    """A generation of Claude, reconstructed: the tokens of a message's text, without those of its frame.

    A mark that no piece contains is a token that covers no bytes. Newlines at the end of a text mostly cost
    nothing, because they become part of a token of the frame.

    >>> tokenizer = load_claude("claude_4_8")
    >>> encoding = tokenizer.encode("hello, world")
    >>> [tokenizer.vocabulary.entry(token_id).spelled for token_id in encoding], encoding.starts.tolist()
    (['⟨bow⟩h', 'ello⟨eow⟩', ',⟨eow⟩', '⟨bow⟩world⟨eow⟩'], [0, 1, 5, 6])
    """

    name: str
    pieces: Pieces
    generation: Generation
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    split_pattern: None = None
    safe_cut: None = None
    merges: None = None

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The pieces, spelled as in `ctok`, and tokens for bytes that no piece covers."""
        names, tokens = self.pieces.names, self.pieces.tokens
        return TableVocabulary(
            self.name,
            range(len(names)),
            map(self.pieces.raw_of, range(len(names))),
            kinds={
                token_id: "byte"
                for token_id, token in enumerate(tokens)
                if type(token) is bytes and len(token) == 1
            },
            spell=lambda token_id, _raw: names[token_id],
        )

    @cached_property
    def rest(self) -> RestOfText:
        """Where a text may be cut: before a line's end, and before a space between two lower-case letters."""
        return RestOfText.behind("a", regex.compile(_CUT), self.encode)

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:  # noqa: ARG002
        """Return the ids of one possible cut of a text into the smallest number of tokens."""
        text = replace_lone_surrogates(text)
        source = normalize(text, self.generation.rules)
        tiles = [tile for piece in self._iter_pieces(text, source) for tile in self._tiles(piece)]
        n_chars = np.array([tile.n_chars for tile in tiles], np.int64)
        lasts = np.cumsum(n_chars)
        firsts = lasts - n_chars
        starts = np.append(source.starts, len(text.encode()))[firsts]
        ends = np.where(n_chars > 0, np.append(0, source.ends)[lasts], starts)
        for place, tile in enumerate(tiles):
            if tile.bytes is not None:
                start, end = source.starts[firsts[place]], source.ends[firsts[place]]
                is_whole = end - start != tile.bytes[2]  # lower case with more bytes than the capital
                starts[place] = start if is_whole else start + tile.bytes[0]
                ends[place] = end if is_whole else start + tile.bytes[1]
        return Encoding(text, np.array([tile.id for tile in tiles], np.uint32), starts, ends)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the parts that no token crosses, with their marks.

        If a space precedes the first mark, the mark stands for that space.
        """
        text = replace_lone_surrogates(text)
        source = normalize(text, self.generation.rules)
        characters = character_of_bytes(text)
        at = 0
        for piece in self._iter_pieces(text, source):
            first, at = at, at + piece.n_chars
            if piece.n_chars:
                start, end = characters[source.starts[first]], characters[source.ends[at - 1] - 1] + 1
                yield Pretoken(" " * piece.has_space + piece.marked, int(start), int(end))

    def build(self, pretoken: Pretoken) -> Given:
        """Return the tokens of a part, without marks that are tokens of their own."""
        has_space = pretoken.text[:1] == " " and pretoken.text[1:2] in MARK_NAMES
        marked = pretoken.text[has_space:]
        tiles = self._tiles(Piece(marked, 1, has_space))
        return Given(tuple(tile.id for tile in tiles if tile.n_chars or tile.bytes), _WHY)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the normalized text of ids. Raises UnknownTokenError."""
        tokens = [self.pieces.tokens[self.vocabulary.entry(token_id).id] for token_id in ids]
        marked = b"".join(token if isinstance(token, bytes) else token.encode() for token in tokens)
        return _unmark(marked.decode(errors="replace"))

    def python_program(self) -> PythonProgram:
        """Return Python that numbers the tokens of `ctok`, which needs Python 3.12."""
        setup = (
            "# pip install ctok. Its tokens are numbered by a list that Tessera saves beside Copy Python.\n"
            "import gzip\nimport json\n\nimport ctok\n\n"
            f'with gzip.open("assets/vocabularies/{self.generation.vocabulary}.json.gz") as file:\n'
            "    names = json.load(file)\n"
            "numbers = {name: number for number, name in enumerate(names)}\n"
        )
        tokens = f"ctok.tokenize(text, {self.generation.ctok_version!r})[{self.generation.n_frame}:]"
        return PythonProgram(
            setup, f"[numbers[token] for token in {tokens}]", '"".join(names[token_id] for token_id in ids)'
        )

    def _iter_pieces(self, text: str, source: Source) -> Iterator[Piece]:
        if not text:
            return
        body = source.text.rstrip("\n")
        yield from iter_pieces(body, self.generation.rules, has_leading_space=text[0] == " ")
        # Two newlines follow in the frame. The last token of the run that they join is a token of the frame.
        n_newlines = len(source.text) - len(body)
        of_text = self.pieces.tile("\n" * (n_newlines + 2))[:-1]
        if n_newlines and of_text:
            n_chars = sum(tile.n_chars for tile in of_text)
            yield Piece("\n" * n_chars, n_chars)

    def _tiles(self, piece: Piece) -> Iterable[Tile]:
        """Return the tokens of a part, with the space that was dropped in the token of its word start."""
        tiles = self.pieces.tile(piece.marked)
        if not piece.n_chars:
            return [tile._replace(n_chars=0) for tile in tiles]
        if not piece.has_space:
            return tiles
        place = next(place for place, tile in enumerate(tiles) if tile.has_start)
        return [*tiles[:place], tiles[place]._replace(n_chars=tiles[place].n_chars + 1), *tiles[place + 1 :]]


def load_claude(name: str) -> ClaudeTokenizer:
    """Load the reconstructed tokenizer of a generation. Raises VocabularyFileError."""
    generation = GENERATIONS[name]
    return ClaudeTokenizer(name, load_pieces(generation.vocabulary), generation)


#: Where a text may be cut: the marks on one side do not depend on the characters of the other.
_CUT = r"(?<=[^\s\p{C}])(?=\n\s*[^\s\p{C}])|(?<=[a-z])(?= [a-z])"
_ATOM = "(?s)⟨(?:0x([0-9A-F]{2})|bow|eow|shift|caps)⟩|."
_MARKS_BY_NAME = {name: mark for mark, name in MARK_NAMES.items()}


def _parse(name: str) -> str | bytes:
    """Return a piece with its marks as single characters, or the bytes of a part of a character."""
    parts = [
        bytes([int(match[1], 16)]) if match[1] else _MARKS_BY_NAME.get(match[0], match[0]).encode()
        for match in re.finditer(_ATOM, name)
    ]
    raw = b"".join(parts)
    return raw.decode() if is_utf8(raw) else raw


def _unmark(marked: str) -> str:
    """Return the text of a marked stream.

    >>> _unmark(SHIFT + BOW + "hello" + EOW + BOW + "world" + EOW)
    'Hello world'
    """
    text = re.sub(f"{EOW}(?=[{SHIFT}{CAPS}]*{BOW})", " ", marked)
    text = re.sub(f"{SHIFT}{BOW}?(.?)", lambda match: match[1].upper(), text, flags=re.DOTALL)
    text = re.sub(f"{CAPS}([^{EOW} ]*)", lambda match: match[1].upper(), text)
    return re.sub(f"[{BOW}{EOW}]", "", text)
