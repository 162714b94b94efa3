"""How a tokenizer splits the numbers from 0 to 9999, and the token boundaries in an addition."""

from collections.abc import Sequence
from functools import lru_cache

import regex

from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.lessons.inputs import ChoiceInput, FlagInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

N_NUMBERS = 10_000
#: Numbers in an addition, and digits in each.
MAX_ADDENDS, MAX_DIGITS = 3, 9
_ADDITION = regex.compile(
    rf"\s*([0-9]{{1,{MAX_DIGITS}}})(?:\s*\+\s*([0-9]{{1,{MAX_DIGITS}}})){{1,{MAX_ADDENDS - 1}}}\s*(?:=.*)?"
)
_CHOICES = {"gpt2": "GPT-2", "cl100k_base": "GPT-4", "o200k_base": "GPT-4o", "qwen3": "Qwen 3"}


def digits_of_tokens(tokenizer: Tokenizer, number: str, *, has_space: bool = False) -> list[int]:
    """Return the number of digits in each token of a number; a token for the leading space alone is left out.

    >>> from playground.catalog.registry import get_tokenizer
    >>> digits_of_tokens(get_tokenizer("gpt2"), "677"), digits_of_tokens(get_tokenizer("gpt2"), "1275")
    ([3], [2, 2])
    """
    before = " " if has_space else ""
    encoding = tokenizer.encode(before + number)
    if len(encoding) == 1:
        return [len(number)]
    starts = [max(start, len(before)) for start in encoding.starts.tolist()]
    lengths = [end - start for start, end in zip(starts, encoding.ends.tolist(), strict=True)]
    return [length for length in lengths if length > 0]


@lru_cache(maxsize=2 * len(_CHOICES))
def cuts_of_all(tokenizer_name: str, has_space: bool) -> str:
    """Return a digit for each number from 0 to 9999: the sum of 1, 2, 4 for cuts after digits 1, 2, 3.

    >>> cuts = cuts_of_all("gpt2", False)
    >>> cuts[677], cuts[1275], cuts.count("0")
    ('0', '2', 907)
    """
    tokenizer = get_tokenizer(tokenizer_name)
    return "".join(
        str(_mask(digits_of_tokens(tokenizer, str(number), has_space=has_space)))
        for number in range(N_NUMBERS)
    )


def _mask(lengths: Sequence[int]) -> int:
    mask = place = 0
    for length in lengths[:-1]:
        place += length
        mask += 1 << (place - 1)
    return mask


def show(addition: str, tokenizer: str, space: bool) -> Shown:
    """Return the map of all numbers, and the rows of the addition, the last of which is the sum."""
    cuts = cuts_of_all(tokenizer, space)
    addends = _addends(addition)
    numbers = [*addends, str(sum(map(int, addends)))] if addends else []
    model = get_tokenizer(tokenizer)
    rows = [
        {"digits": number, "tokens": digits_of_tokens(model, number, has_space=space)} for number in numbers
    ]
    figure = {"cuts": cuts, "rows": rows}
    question = _question(cuts, _CHOICES[tokenizer], has_space=space)
    if len(addends) < 2:
        return Shown(
            figure,
            question,
            f"Type 2 or {MAX_ADDENDS} numbers of up to {MAX_DIGITS} digits with +, such as 127 + 677.",
        )
    if all(len(row["tokens"]) == 1 for row in rows):
        return Shown(figure, question, "Each of these numbers is one token: add larger ones.")
    return Shown(figure, question)


def _addends(text: str) -> list[str]:
    """Return the numbers of an addition without leading zeros; [] if the text is not an addition."""
    found = _ADDITION.fullmatch(text)
    return [number.lstrip("0") or "0" for number in [*found.captures(1), *found.captures(2)]] if found else []


def _question(cuts: str, label: str, *, has_space: bool) -> Question:
    """Ask for the smallest number that is more than one token."""
    first = next(number for number, cut in enumerate(cuts) if cut != "0")

    def hint(guess: str) -> str:
        plain = guess.strip()
        if not regex.fullmatch(r"[0-9]{1,4}", plain):
            return "Type one number from 0 to 9999."
        if cuts[int(plain)] == "0":
            return f"{int(plain)} is one token. In step 2, look for the first coloured cell."
        return f"{int(plain)} is split, but so is a smaller number."

    before = " after a space" if has_space else ""
    return Question(f"What is the smallest number that {label} splits{before}?", str(first), hint)


def _openings(addition: str, tokenizer: str, space: bool) -> Sequence[Opening]:
    text = f" {addition}" if space else addition
    return (
        Opening("tokenize", {"text": text, "tokenizer": tokenizer}),
        Opening("compare", {"text": text, "tokenizers": list(_CHOICES)}),
    )


NUMBERS = Lesson(
    slug="numbers",
    number=20,
    title="Numbers",
    claim="GPT-2 cuts numbers by frequency, not by columns of digits.",
    guess=Guess(
        "How many of the numbers 0 to 999 are one GPT-2 token?",
        ("100", "819", "all"),
        right=1,
        proof="819 of 0–999",
    ),
    time="1:55:18",
    figure="numbers",
    steps=(
        "We add by columns of digits; the model sees tokens.",
        "Each cell is a number, 100 in a row; colours show cuts.",
    ),
    inputs=(
        TextInput("addition", "Type an addition", "3456 + 2675", is_line=True),
        ChoiceInput("tokenizer", "Tokenizer", "gpt2", _CHOICES),
        FlagInput("space", "Space before", False),
    ),
    try_this="Switch on “Space before”; then choose GPT-4.",
    notes=Notes(
        say=(
            "In GPT-2, a number's frequency in the training text decided whether it is one token, two or "
            "three."
        ),
        ask="Which tokenizer would you choose for arithmetic, and what does it cost?",
        expect="One with a fixed rule: one or three digits per token. Single digits need the most tokens.",
    ),
    show=show,
    sources=(digits_of_tokens, cuts_of_all),
    openings=_openings,
    in_class=True,
)
