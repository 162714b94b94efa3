"""Notebooks are valid, run from top to bottom, and show the same results as the pages."""

import base64
import json
import random
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import regex

from playground.bpe import lecture
from playground.core.errors import TextTooLongError
from playground.lessons.inputs import PICTURE_SIDE, TextInput
from playground.lessons.registry import LESSONS, find_lesson
from playground.notebook import Drawing, Training
from playground.render.lesson_notebook import MAX_CHARS, lesson_notebook
from tests.catalog.kinds import bert_library, library_of
from tests.notebook.reading import code_of, read_drawing, run_cells, tiles

#: Quotes, escapes, a special token, direction marks, and a replaced lone surrogate.
HARD = "a\"'\n\\{x}<|endoftext|>\u202e👋\ufffd"


def notebook_of(slug, **values):
    lesson = find_lesson(slug)
    checked = {**lesson.example(), **values}
    made = lesson_notebook(lesson, checked, lesson.show(**checked))
    return json.loads(json.dumps(made, allow_nan=False))


def words_of(notebook):
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


@pytest.mark.parametrize("slug", LESSONS)
def test_each_lessons_notebook_runs_from_top_to_bottom(slug):
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


def test_a_notebook_has_the_typed_values():
    notebook = notebook_of("cuts", text="<b>don't</b> `1234`", own=("a|b",), pattern="own")
    outputs = run_cells(code_of(notebook))
    assert "<b>don't</b> `1234`" in code_of(notebook)[0]
    assert "'own': ['a|b']" in code_of(notebook)[0]
    assert "show(values['text'], 'gpt2')" in code_of(notebook)[1]
    assert outputs[1].text.startswith("gpt2: ")
    assert next(output for output in outputs if isinstance(output, dict))["n_pieces"] > 3


@pytest.mark.parametrize("slug", LESSONS)
def test_a_notebook_runs_with_any_typed_text(slug):
    lesson = LESSONS[slug]
    texts = {field.name: HARD for field in lesson.inputs if isinstance(field, TextInput)}
    if not texts:
        return
    notebook = notebook_of(slug, **texts)
    nbformat.validate(notebook)
    needs = lesson.show(**{**lesson.example(), **texts}).needs
    assert run_cells(code_of(notebook))[0] == (needs or lesson.claim)


def test_a_notebook_of_an_empty_text_has_no_question():
    notebook = notebook_of("bytes", text="")
    nbformat.validate(notebook)
    assert "## Question" not in words_of(notebook)
    assert run_cells(code_of(notebook))[0] == "Type something to see its bytes."


def test_a_text_that_is_too_long_for_a_notebook_is_refused():
    with pytest.raises(TextTooLongError, match=f"a notebook takes up to {MAX_CHARS:,}"):
        notebook_of("bytes", text="a" * MAX_CHARS)


@pytest.mark.parametrize("kind", ["noise", "plain"])
def test_a_visitors_picture_is_saved_in_a_folded_cell(kind):
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


ROOT = Path(__file__).resolve().parents[2]
TEXT = "Hello world! 안녕하세요 👋"


def read(name):
    return nbformat.read(ROOT / "notebooks" / name, as_version=nbformat.NO_CONVERT)


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.name)
def test_the_example_notebook_is_valid_and_has_no_outputs(path):
    notebook = read(path.name)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


def ids_of(drawing):
    assert isinstance(drawing, Drawing)
    return [token_id for _, ids in tiles(read_drawing(drawing._repr_html_())) for token_id in ids]


def test_the_example_notebook_draws_the_ids_of_the_libraries():
    _, gpt2, o200k, special, tree, tries, training, own, merges, values = run_cells(
        code_of(read("tokens.ipynb"))
    )
    assert ids_of(gpt2) == library_of("gpt2")(TEXT)
    assert ids_of(o200k) == library_of("o200k_base")(TEXT)
    assert len(ids_of(o200k)) < len(ids_of(gpt2))
    assert ids_of(special) == [15496, 50256]
    assert tree.text.endswith(": 41236")
    assert [int(part) for part in tries.text.split(": ")[-1].split()] == bert_library().encode(
        "unaffable"
    ).ids[1:-1]
    assert isinstance(training, Training)
    assert ids_of(own) == list(training.tokenizer.encode("that cat sat there"))
    text = "the cat sat on the mat, that cat; the hat of the cat that sat there on that mat. " * 4
    words = [piece.text.encode() for piece in training.tokenizer.iter_pretokens(text)]
    assert {(m.left, m.right): m.new_id for m in training.merges} == lecture.train(
        words, len(training.merges)
    )
    assert merges == [merge.raw.decode() for merge in training.merges[:5]]
    assert values == (library_of("gpt2")(" strawberry"), " strawberry")
