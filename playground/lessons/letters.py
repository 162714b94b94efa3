"""Lesson 1: the simplest tokenizer has a row for each letter, and a token is the number of its row."""

from collections.abc import Sequence

from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown

#: The letters that the lecture's first text has, in the order of their code points.
ALPHABET = "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
MAX_SHOWN = 60


def rows_of(text: str) -> dict[str, int]:
    """A row for each character that a text has, in the order of their code points.

    >>> rows_of("hello")
    {'e': 0, 'h': 1, 'l': 2, 'o': 3}
    """
    return {character: row for row, character in enumerate(sorted(set(text)))}


def encode(text: str, rows: dict[str, int]) -> list[int | None]:
    """The row of each character; None for one that has none.

    >>> encode("hex", rows_of("hello"))
    [1, 0, None]
    """
    return [rows.get(character) for character in text]


def show(text: str, taken: str) -> Shown:
    """The table without the letters that were taken away, and the text in it."""
    before = rows_of(ALPHABET)
    rows = rows_of("".join(character for character in ALPHABET if character not in taken))
    ids = encode(text, rows)
    figure = {
        "letters": [
            {"text": character, "id": row}
            for character, row in zip(text[:MAX_SHOWN], ids[:MAX_SHOWN], strict=True)
        ],
        "n_letters": len(text),
        "rows": [
            {"text": character, "id": row, "moved": row != before[character], "used": character in text}
            for character, row in rows.items()
        ],
        "n_moved": sum(row != before[character] for character, row in rows.items()),
    }
    lost = [character for character, row in zip(text, ids, strict=True) if row is None]
    if not text:
        return Shown(figure, needs="Type something: each letter is looked up.")
    needs = f"“{_seen(lost[0])}” has no row: this tokenizer cannot write it." if lost else ""
    known = next((character for character in text if character in rows and not character.isspace()), None)
    if known is None:
        return Shown(figure, needs=needs or "Type a letter: spaces alone show little.")
    return Shown(figure, _question(known, rows), needs)


def _seen(character: str) -> str:
    """A character as the figure marks it, where one would not see it."""
    if character == "\t":
        return "→"
    is_seen = character.isprintable() and not character.isspace()
    return character if is_seen else f"⟨{ord(character):04X}⟩"


def _question(letter: str, rows: dict[str, int]) -> Question:
    place = ord(letter.casefold()) - ord("a")

    def hint(guess: str) -> str:
        if guess.strip() in (str(place), str(place + 1)):
            return "So it would be if the small letters came first. Look at what stands before them."
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
    claim="A token is a row number.",
    time="0:00",
    figure="letters",
    steps=(
        "Each letter of the text is looked up in a table.",
        "Its row number is its id; the row holds what the model learns.",
        "Take a letter away, and all later ids shift.",
    ),
    inputs=(
        TextInput("text", "Text", "hii there"),
        TextInput("taken", "Without", "", max_chars=100, is_line=True),
    ),
    try_this="Take q away.",
    notes=Notes(
        say="This is a whole tokenizer: a list of letters, and the place of each in it.",
        ask="What happens to a trained model when one letter is taken out of its table?",
        expect="It reads every later letter wrongly: tokenizer and model belong together.",
    ),
    show=show,
    sources=(rows_of, encode),
    openings=_openings,
    in_class=True,
)
