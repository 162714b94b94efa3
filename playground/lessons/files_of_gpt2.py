"""Lesson 14: GPT-2's two files, encoder.json and vocab.bpe, which write each byte as one letter."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from playground.bpe.gpt2_bytes import from_gpt2_characters, to_gpt2_characters
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.lessons.inputs import NumberInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.lessons.pieces import shown_pieces

MAX_TEXT_CHARS, MAX_SHOWN_CHARS, MAX_PIECES, MAX_ENTRIES = 2_000, 60, 60, 6
TOKENIZERS = ("gpt2", "cl100k_base")


def file_lines(token_id: int) -> tuple[str, str, int]:
    """Return a token's key in encoder.json, its line in vocab.bpe ("" for a byte), and that line's number.

    >>> file_lines(220), file_lines(256), file_lines(995)
    (('Ġ', '', 0), ('Ġt', 'Ġ t', 2), ('Ġworld', 'Ġwor ld', 741))
    """
    gpt2 = get_tokenizer("gpt2")
    key = to_gpt2_characters(gpt2.vocabulary.raw_of(token_id))
    parts = gpt2.merges.parts_of(token_id) if gpt2.merges else ()
    line = " ".join(to_gpt2_characters(gpt2.vocabulary.raw_of(part)) for part in parts)
    return key, line, token_id - 254 if parts else 0  # the first line has the version


def n_of_spaces(tokenizer: Tokenizer) -> int:
    """Return the number of tokens that consist of spaces only.

    >>> n_of_spaces(get_tokenizer("gpt2")), n_of_spaces(get_tokenizer("cl100k_base"))
    (1, 86)
    """
    vocabulary = tokenizer.vocabulary
    return sum(1 for raw in vocabulary.raws_of(vocabulary.ids) if raw and not raw.strip(b" "))


_N_OF_SPACES: dict[str, int] = {}


def show(text: str, indent: int) -> Shown:
    """Return the letter of each byte, the text in these letters, its tokens' lines, and two tokenizers."""
    whole = " " * indent + text
    raw = whole[:MAX_SHOWN_CHARS].encode()
    gpt2 = get_tokenizer("gpt2")
    ids = list(dict.fromkeys(gpt2.encode(whole[:MAX_SHOWN_CHARS])))
    entries = [{"id": token_id, "lines": file_lines(token_id)} for token_id in ids]
    merged = [entry for entry in entries if entry["lines"][1]]  # type: ignore[index]
    figure: dict[str, Any] = {
        "letters": [to_gpt2_characters(bytes([byte])) for byte in range(256)],
        "used": sorted(set(raw)),
        "written": to_gpt2_characters(raw),
        "n_bytes": len(whole.encode()),
        "entries": (merged or entries)[:MAX_ENTRIES],
        "panes": [_pane(name, whole) for name in TOKENIZERS],
    }
    if not whole:
        return Shown(figure, needs="Type something, or add spaces.")
    needs = "" if indent > 1 else "Add some spaces: GPT-2 needs a token for each."
    return Shown(figure, _question(raw), needs)


def _pane(name: str, text: str) -> dict[str, Any]:
    tokenizer = get_tokenizer(name)
    if name not in _N_OF_SPACES:
        _N_OF_SPACES[name] = n_of_spaces(tokenizer)
    return {
        "name": name,
        **shown_pieces(tokenizer, text, max_pieces=MAX_PIECES),
        "n_of_spaces": _N_OF_SPACES[name],
    }


def _question(raw: bytes) -> Question:
    """Ask for the letter that stands for a space, or for the first byte of a text without spaces."""
    byte = raw[0] if b" " not in raw else 32
    letter = to_gpt2_characters(bytes([byte]))
    point, is_itself = ord(letter), ord(letter) == byte
    plain = unicodedata.normalize("NFD", letter)[0]

    def hint(guess: str) -> str:
        if guess.strip() in ("", "_", "▁", "·"):
            return "Look in the grid: bytes without a glyph take the letters from code point 256 on."
        if len(guess.strip()) == 1 and guess.strip() in map(chr, range(256, 324)):
            return f"That letter is byte {from_gpt2_characters(guess.strip())[0]}."
        if not is_itself and guess.strip().casefold() == plain.casefold():
            return f"Nearly: it has an accent in step 1. You may also answer with its code point, {point}."
        return (
            "This byte is written as itself."
            if is_itself
            else f"Step 1 shows it: the letter with code point {point}."
        )

    named = "a space" if byte == 32 else f"byte {byte}"
    asks = f"Which letter (or code point) stands for {named} in GPT-2's files?"
    # The name is accepted because many keyboards lack the letter.
    described = unicodedata.name(letter).lower().removeprefix("latin capital letter ")
    also = (f"U+{point:04X}", str(point), described, described.replace(" dot above", " a dot"))
    return Question(asks, letter, hint, also, is_number=False)


def _openings(text: str, indent: int) -> Sequence[Opening]:
    whole = " " * indent + text
    return (
        Opening("tokenize", {"text": whole, "tokenizer": "gpt2"}),
        Opening("compare", {"text": whole, "tokenizers": list(TOKENIZERS)}),
        Opening("merge_tree", {"text": whole, "tokenizer": "gpt2"}),
    )


GPT2_FILES = Lesson(
    slug="gpt2-files",
    number=14,
    title="GPT-2's files",
    claim="GPT-2's tokenizer is two files and one short algorithm.",
    guess=Guess(
        "Sixteen spaces before a word: how many tokens are they in GPT-2?", ("1", "4", "15"), right=2
    ),
    time="1:11:38",
    figure="gpt2-files",
    steps=(
        "Each byte is written as one visible letter.",
        "encoder.json holds the vocabulary, vocab.bpe the merges.",
        "GPT-2 has one token made only of spaces; cl100k has 86.",
    ),
    inputs=(
        TextInput("text", "Text", "hello world!!!", max_chars=MAX_TEXT_CHARS),
        NumberInput("indent", "Spaces", 4, 0, 16),
    ),
    try_this="Add more spaces.",
    notes=Notes(
        say=(
            "The files are JSON and plain text, so invisible bytes are written as letters from code point "
            "256 on."
        ),
        ask="Why does Python code need so many tokens in GPT-2?",
        expect="Every space of an indent but the last is a token; GPT-4's pattern and merges join them.",
    ),
    show=show,
    sources=(to_gpt2_characters, from_gpt2_characters, file_lines),
    openings=_openings,
)
