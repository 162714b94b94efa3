"""A damaged or missing file of the app is named in one sentence."""

import gzip

import pytest

from playground.bpe.character_categories import character_categories
from playground.core import assets
from playground.core.errors import AssetError
from playground.lessons.picture_tokens import astronaut
from playground.training import corpora
from playground.training.parallel_texts import load_parallel_texts

UNREADABLE = {
    "missing": None,
    "no UTF-8": b"\xff",
    "an empty row": b"[{}]",
    "a row with too little": b'[{"code": "a"}]',
    "a code without a range": b"Xx 41",
    "a code that is no number": b"Lu x",
    "a picture of one pixel": gzip.compress(b"P6\n1 1\n255\n123"),
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("texts/udhr.json", load_parallel_texts),
        ("unicode/categories.txt", character_categories),
        ("pictures/astronaut.ppm.gz", astronaut),
    ],
)
def test_a_damaged_asset_is_named(name, load, content, tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "ASSETS", tmp_path)
    if content is not None:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(content)
    with pytest.raises(AssetError, match=f"^assets/{name} is missing or damaged .*; restore it"):
        load.__wrapped__()


def test_a_missing_text_to_learn_from_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "ASSETS", tmp_path)
    with pytest.raises(AssetError, match=r"pride_and_prejudice\.txt is missing or damaged .No such file"):
        corpora.novel.__wrapped__()
