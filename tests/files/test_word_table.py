"""Word tables are cut as in the lesson, and saved in a file that is read exactly or refused."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.kept_file import read_kept, write_kept
from playground.catalog.opened import open_files
from playground.catalog.word_table import (
    END,
    UNKNOWN,
    WordTable,
    learn_table,
    pattern_of,
    read_table,
    write_table,
)
from playground.core.errors import VocabularyFileError
from playground.files.limits import MAX_TOKEN_BYTES
from playground.lessons.words import rows_of, words_of
from tests.analysis.texts import texts

PATTERN = SplitPattern.named("gpt2")
_any = texts() | st.text(st.sampled_from("ab-,.' \n\x1c\xa0\u2003é\"()"), max_size=20)


@given(_any)
@settings(max_examples=30)
def test_words_are_cut_as_the_lesson_cuts_them(text):
    assert pattern_of("words").findall(text) == words_of(text)


@given(_any)
@settings(max_examples=30)
def test_rows_are_numbered_as_the_lesson_numbers_them_and_characters_in_order(text):
    if words_of(text) and not {END, UNKNOWN} & {*words_of(text)}:
        table = learn_table([text], "words", has_unknown=True)
        assert [*table.rows, *table.special_rows] == [*rows_of(text)]
    if set(text) - {END, UNKNOWN}:
        assert learn_table([text], "characters").rows == tuple(sorted(set(text)))


@given(_any, st.sampled_from(["words", "characters"]), st.booleans())
@example(END, "words", False)  # a special row alone is no table
@settings(max_examples=30)
def test_a_file_gives_the_same_table_to_the_reader_the_opener_and_the_browser(text, unit, has_unknown):
    if not {*pattern_of(unit).findall(text)} - {END, UNKNOWN}:
        return
    table = learn_table([text], unit, has_unknown=has_unknown)
    raw = write_table(table).encode()
    assert read_table(raw, "x.table.json") == table
    assert json.loads(raw)["rows"] == [*table.rows]
    assert read_kept(write_kept(table), visitor="") == table


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "is not a table of words"),
        ({"unit": "bytes", "has_unknown": False, "rows": ["a"]}, "unit is words or characters"),
        ({"unit": "words", "has_unknown": 1, "rows": ["a"]}, "true or false"),
        ({"unit": "words", "has_unknown": False, "rows": ["a b"]}, "row 0: 'a b' is none of the words"),
        ({"unit": "words", "has_unknown": True, "rows": [UNKNOWN]}, "none of the words"),
        ({"unit": "words", "has_unknown": False, "rows": ["b", "a"]}, "not in sorted order"),
        ({"unit": "words", "has_unknown": False, "rows": []}, "has no row"),
        ({"unit": "words", "has_unknown": False, "rows": ["x" * (MAX_TOKEN_BYTES + 1)]}, "bytes in a word"),
    ],
)
def test_a_file_that_is_no_word_table_is_refused_in_one_sentence(document, said):
    with pytest.raises(VocabularyFileError) as error:
        open_files({"x.table.json": json.dumps(document).encode()}, PATTERN)
    assert said in str(error.value)


def test_a_text_without_words_is_no_table():
    with pytest.raises(VocabularyFileError, match="the table has no row; learn it from a text with words"):
        learn_table([" \n"], "words")


def test_a_word_table_ignores_the_config_beside_it():
    files = {
        "x.table.json": write_table(WordTable("words", ("a",))).encode(),
        "tokenizer_config.json": b'{"added_tokens_decoder": {"7": {"content": "<s>"}}}',
    }
    with pytest.raises(VocabularyFileError, match=r"x.table.json"):
        open_files(files, PATTERN)
