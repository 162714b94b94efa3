"""Lesson 1: a character-level tokenizer, in which a character's id is the number of its row in a table."""

from collections.abc import Sequence

from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

#: The characters of the lecture's first text (Tiny Shakespeare), in the order of their code points.
ALPHABET = "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
MAX_SHOWN = 60


def rows_of(text: str) -> dict[str, int]:
    """Return a row number for each distinct character of a text, in the order of code points.

    >>> rows_of("hello")
    {'e': 0, 'h': 1, 'l': 2, 'o': 3}
    """
    return {character: row for row, character in enumerate(sorted(set(text)))}


def encode(text: str, rows: dict[str, int]) -> list[int | None]:
    """Return the row of each character, or None for a character that isn't in the table.

    >>> encode("hex", rows_of("hello"))
    [1, 0, None]
    """
    return [rows.get(character) for character in text]


def show(text: str, taken: str) -> Shown:
    """Return the table without the letters in `taken`, and the ids of the text."""
    before = rows_of(ALPHABET)
    rows = rows_of("".join(character for character in ALPHABET if character not in taken))
    ids = encode(text, rows)
    figure = {
        "letters": [
            {"text": character, "id": row}
            for character, row in zip(text[:MAX_SHOWN], ids[:MAX_SHOWN], strict=True)
        ],
        "n_letters": len(text),
        "taken": taken,
        "rows": [
            {"text": character, "id": row, "moved": row != before[character], "used": character in text}
            for character, row in rows.items()
        ],
        "n_moved": sum(row != before[character] for character, row in rows.items()),
    }
    lost = [character for character, row in zip(text, ids, strict=True) if row is None]
    if not text:
        return Shown(figure, needs="Type something to look up.")
    needs = f"“{_seen(lost[0])}” has no row: this tokenizer can't encode it." if lost else ""
    known = next((character for character in text if character in rows and not character.isspace()), None)
    if known is None:
        return Shown(figure, needs=needs or "Type a letter: spaces alone show little.")
    return Shown(figure, _question(known, rows), needs)


def _seen(character: str) -> str:
    """Return a character, or a visible sign for an invisible one."""
    if character == "\t":
        return "→"
    is_seen = character.isprintable() and not character.isspace()
    return character if is_seen else f"⟨{ord(character):04X}⟩"


def _question(letter: str, rows: dict[str, int]) -> Question:
    place = ord(letter.casefold()) - ord("a")

    def hint(guess: str) -> str:
        if guess.strip() in (str(place), str(place + 1)):
            return (
                "That would be right if lower case came first. Look at what comes before the small letters."
            )
        if guess.strip() == str(rows[letter] + 1):
            return "Rows are counted from 0."
        return f"Find {letter} in the table: its number is the answer."

    return Question(f"What is the id of {letter}?", str(rows[letter]), hint)


def _openings(text: str, taken: str) -> Sequence[Opening]:
    del taken
    return (Opening("tokenize", {"text": text, "tokenizer": "characters"}),)


LETTERS = Lesson(
    slug="letters",
    number=1,
    title="Letters",
    claim="A token's id is a row number in a table.",
    guess=Guess("Remove q from the alphabet: how many other ids change?", ("none", "9", "64"), right=1),
    time="0:00",
    figure="letters",
    steps=(
        "Each letter of the text is looked up in a table.",
        "The row number is the id; a model learns a vector for each row.",
        "Press a letter to remove it: all later ids shift.",
    ),
    inputs=(
        TextInput("text", "Text", "hii there"),
        TextInput("taken", "Without", "", max_chars=100, is_line=True),
    ),
    try_this="In step 3, press a letter of the table.",
    notes=Notes(
        say="This is a complete tokenizer: a list of characters, and the position of each in the list.",
        ask="What happens to a trained model when you remove one letter from its table?",
        expect="It misreads every later letter: a tokenizer and its model belong together.",
    ),
    show=show,
    sources=(rows_of, encode),
    openings=_openings,
    in_class=True,
)
