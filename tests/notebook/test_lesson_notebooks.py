"""Each lesson's notebook is valid, runs from top to bottom, and shows what the lesson showed."""

import base64
import json
import random

import nbformat
import pandas as pd
import pytest
import regex
from markdown_it import MarkdownIt

from playground.core.errors import TextTooLongError
from playground.lessons.inputs import PICTURE_SIDE, TextInput
from playground.lessons.registry import LESSONS, find_lesson
from playground.notebook import Drawing, Training
from playground.render.lesson_notebook import MAX_CHARS, lesson_notebook, notebook_name
from tests.notebook.running import code_of, run_cells

#: Quotes, escapes, a special token, marks of direction, half a pair that was replaced.
HARD = "a\"'\n\\{x}<|endoftext|>\u202e👋\ufffd"


def notebook_of(slug, **values):
    lesson = find_lesson(slug)
    checked = {**lesson.example(), **values}
    made = lesson_notebook(lesson, checked, lesson.show(**checked))
    return json.loads(json.dumps(made, allow_nan=False))


def words_of(notebook):
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


@pytest.mark.parametrize("slug", LESSONS)
def test_it_runs_from_top_to_bottom(slug):
    lesson, notebook = LESSONS[slug], notebook_of(slug)
    nbformat.validate(notebook)
    shown = lesson.show(**lesson.example())
    outputs = run_cells(code_of(notebook))
    assert outputs[0] == lesson.claim
    if shown.question is not None:
        assert outputs[-1] == shown.question.answer
        assert outputs[-2] == shown.question.hint("")
    tables = [output for output in outputs if isinstance(output, pd.DataFrame)]
    for table, rows in zip(
        tables,
        (value for value in shown.figure.values() if isinstance(value, list | tuple) and value
         and isinstance(value[0], dict)),
        strict=True,
    ):  # fmt: skip
        assert len(table) == len(rows)
    assert any(isinstance(output, Drawing | Training) for output in outputs) or slug == "attention"
    for source in lesson.sources:
        assert any(
            f"def {source.__name__}(" in code or f"class {source.__name__}" in code
            for code in code_of(notebook)
        )
    imports = "\n".join(
        line for code in code_of(notebook)[1:] for line in code.splitlines() if " import " in line
    )
    for source in lesson.sources:
        if source.__name__ != "show":  # the notebook's own draws
            assert not regex.search(rf"import .*\b{source.__name__}\b", imports), (
                "it would take the place of that here"
            )
    words = words_of(notebook)
    assert words.startswith(f"# {lesson.number} · ")
    for step in range(1, len(lesson.steps) + 1):
        assert f"\n{step}. " in words


def test_it_has_what_the_class_typed():
    notebook = notebook_of("cuts", text="<b>don't</b> `1234`", own=("a|b",), pattern="own")
    outputs = run_cells(code_of(notebook))
    assert "<b>don't</b> `1234`" in code_of(notebook)[0]
    assert "'own': ['a|b']" in code_of(notebook)[0]
    assert "show(values['text'], 'gpt2')" in code_of(notebook)[1]
    assert outputs[1].text.startswith("gpt2: ")
    assert next(output for output in outputs if isinstance(output, dict))["n_pieces"] > 3


@pytest.mark.parametrize("slug", LESSONS)
def test_whatever_was_typed_it_runs(slug):
    lesson = LESSONS[slug]
    texts = {field.name: HARD for field in lesson.inputs if isinstance(field, TextInput)}
    if not texts:
        return
    notebook = notebook_of(slug, **texts)
    nbformat.validate(notebook)
    needs = lesson.show(**{**lesson.example(), **texts}).needs
    assert run_cells(code_of(notebook))[0] == (needs or lesson.claim)


def test_an_input_without_a_question_or_a_text_makes_one_too():
    notebook = notebook_of("bytes", text="")
    nbformat.validate(notebook)
    assert "## Question" not in words_of(notebook)
    assert run_cells(code_of(notebook))[0] == "Type something to see its bytes."


def test_what_was_typed_is_no_markup_in_its_words():
    words = words_of(notebook_of("cuts", text="<img src=x>*a*"))
    assert "&lt;img src=x&gt;*a*" in MarkdownIt().render(words)


def test_a_text_that_is_too_long_is_told():
    with pytest.raises(TextTooLongError, match=f"a notebook takes up to {MAX_CHARS:,}"):
        notebook_of("bytes", text="a" * MAX_CHARS)


@pytest.mark.parametrize("kind", ["noise", "plain"])
def test_an_own_picture_goes_along_in_a_folded_cell(kind):
    n_bytes = 3 * PICTURE_SIDE**2
    pixels = random.Random(1).randbytes(n_bytes) if kind == "noise" else b"\x80" * n_bytes
    picture = base64.b64encode(pixels).decode()
    notebook = notebook_of("pictures", picture=picture)
    nbformat.validate(notebook)
    folded = notebook["cells"][1]
    assert folded["metadata"] == {"jupyter": {"source_hidden": True}}
    assert max(map(len, folded["source"])) < 200, "an editor is slow with long lines"
    assert "'picture': picture" in code_of(notebook)[1]
    outputs = run_cells([*code_of(notebook), "values['picture']", "shown.figure['pixels']"])
    assert outputs[-2:] == [picture, picture]


def test_a_picture_that_takes_more_than_a_notebook_should_hold_is_told(monkeypatch):
    monkeypatch.setattr("playground.render.lesson_notebook.MAX_PICTURE_CHARS", 200)
    with pytest.raises(TextTooLongError, match="a notebook takes up to 200"):
        notebook_of("pictures", picture=base64.b64encode(b"\x80" * 3 * PICTURE_SIDE**2).decode())


def test_files_stand_in_the_order_of_the_path():
    names = [notebook_name(lesson) for lesson in LESSONS.values()]
    assert names == sorted(names)
    assert len(set(names)) == len(names)
