"""The notebooks of the repository: valid, without outputs, and right when they are run from top to bottom."""

from pathlib import Path

import nbformat
import pytest

from playground.bpe import lecture
from playground.notebook import Drawing, Training
from tests.catalog.kinds import bert_library, library_of
from tests.notebook.reading import read_drawing, tiles
from tests.notebook.running import code_of, run_cells

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Hello world! 안녕하세요 👋"


def read(name):
    return nbformat.read(ROOT / "notebooks" / name, as_version=nbformat.NO_CONVERT)


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.name)
def test_it_is_valid_and_has_no_outputs(path):
    notebook = read(path.name)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


def ids_of(drawing):
    assert isinstance(drawing, Drawing)
    return [token_id for _, ids in tiles(read_drawing(drawing._repr_html_())) for token_id in ids]


def test_its_drawings_are_right():
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
