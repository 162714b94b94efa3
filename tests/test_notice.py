"""NOTICE names every requirement, vocabulary, text, picture and table, with its current hash."""

import hashlib
from pathlib import Path

import pytest
import regex

from playground.core.assets import read_packed

ROOT = Path(__file__).resolve().parents[1]
NOTICE = (ROOT / "NOTICE").read_text()
FILES = sorted(
    path
    for room in ("vocabularies", "chat_templates", "texts", "pictures", "unicode", "fonts", "python")
    for path in ROOT.glob(f"assets/{room}/*")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_hashes_equal_the_files(path):
    entry = NOTICE.split(path.relative_to(ROOT).as_posix())[1].split("assets/")[0]
    data = path.read_bytes()
    assert f"sha256 {hashlib.sha256(data).hexdigest()}" in entry
    if path.suffix == ".gz":
        content = read_packed(path.relative_to(ROOT / "assets").as_posix())
        assert f"content {hashlib.sha256(content).hexdigest()}" in entry


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-scale.txt"])
def test_every_requirement_is_named(file):
    names = regex.findall(r"(?m)^([\w-]+)==", (ROOT / file).read_text())
    assert names
    assert all(regex.search(rf"(?m)^  {name} ", NOTICE) for name in names)
