"""Lesson 0: the numbers on the board, and the lessons that it opens."""

from playground.lessons.oddities import ODDITIES, show

#: The path, also those of it that are still to come.
PATH = {
    "oddities",
    "letters",
    "words",
    "neighbours",
    "first-look",
    "bytes",
    "attention",
    "bpe-by-hand",
    "count-and-merge",
    "loop",
    "mixture",
    "back-to-text",
    "lowest-rank",
    "cuts",
    "gpt2-files",
    "special-tokens",
    "build-gpt4",
    "sentencepiece",
    "vocabulary-size",
    "new-tokens",
    "pictures",
    "spelling",
    "languages",
    "numbers",
    "spaces",
    "rows-that-never-move",
    "choose",
}


def test_the_numbers_are_counted():
    numbers = {card["title"]: card["number"] for card in show().figure["cards"]}
    assert numbers == {
        "Spelling": "17 → 1", "Reversing": "1 → 9", "Languages": "3 ×", "Arithmetic": "819",
        "Code": "15 → 1", "Halting": "7 → 1", "Spaces": "33,135", "Magikarp": "18 → 1",
        "Formats": "64 → 40", "Bytes": "29.6 ×",
    }  # fmt: skip


def test_each_card_has_its_step_and_its_lesson():
    cards = show().figure["cards"]
    assert len(cards) == len(ODDITIES.steps) == 10
    assert {card["lesson"] for card in cards} <= PATH
