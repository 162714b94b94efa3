"""Lock files pin tokenizers: `tessera lock` writes them, `tessera check` sees what changed."""

import json
import shutil
from pathlib import Path

import pytest
import tokenizers

from playground.shell.main import main
from tests.drift.test_search import PLANTED, nothing_normalized, pattern_of_small_contractions, planted


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A folder with a tokenizer.json, locked from outside of it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "models" / "mine"
    folder.mkdir(parents=True)
    document, _ = planted(lambda _: None)
    (folder / "tokenizer.json").write_text(json.dumps(document))
    (tmp_path / "ci").mkdir()
    assert main(["lock", "models/mine", "gpt2", "-o", "ci/our.lock.json"]) == 0
    return folder


def checked(capsys, *words, status):
    capsys.readouterr()
    assert main(["check", "ci/our.lock.json", *words]) == status
    return capsys.readouterr().out


def test_a_lock_file_has_the_librarys_ids_and_moves_with_its_folder(model, tmp_path, monkeypatch, capsys):
    own, gpt2 = json.loads(Path("ci/our.lock.json").read_text())["tokenizers"]
    library = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    assert [(text, library.encode(text).ids) for text, _ids in own["texts"]] == [*map(tuple, own["texts"])]
    assert (own["source"], gpt2["source"]) == ("../models/mine", "gpt2")
    assert own["tokens"] == library.get_vocab_size()
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(tmp_path, elsewhere, ignore=shutil.ignore_patterns("elsewhere"))
    shutil.rmtree(model)
    monkeypatch.chdir(elsewhere)
    assert "as locked." in checked(capsys, status=0)


#: All but one, which the merges of this small vocabulary hide in most texts.
SEEN = [plant for plant in PLANTED if plant is not pattern_of_small_contractions]


@pytest.mark.parametrize("plant", SEEN, ids=lambda plant: plant.__name__)
def test_a_changed_file_fails_the_check(model, plant, capsys):
    document, other = planted(plant)
    (model / "tokenizer.json").write_text(json.dumps(other))
    own, gpt2 = json.loads(checked(capsys, "--json", status=1))["tokenizers"]
    assert (own["is_same"], own["changed_files"], gpt2["is_same"]) == (False, ["tokenizer.json"], True)
    libraries = [tokenizers.Tokenizer.from_str(json.dumps(each)) for each in (document, other)]
    for changed in own["changed"]:
        assert [library.encode(changed["text"]).ids for library in libraries] == [
            changed["locked"],
            changed["now"],
        ]


def test_the_shortest_locked_text_is_shown_or_one_that_is_searched_against_the_old_file(model, capsys):
    shutil.copytree(model, "old")
    _, other = planted(nothing_normalized)
    (model / "tokenizer.json").write_text(json.dumps(other))
    lines = checked(capsys, status=1).splitlines()
    assert lines[0].endswith("texts have other ids.")
    assert [line.split()[0] for line in lines[1:4]] == ["text", "locked", "now"]
    (own, _gpt2) = json.loads(checked(capsys, "--against", "old", "--json", status=1))["tokenizers"]
    difference = own["against"]["difference"]
    assert (difference["step"], len(difference["text"])) == ("normalization", 1)
    assert "Step: normalization." in checked(capsys, "--against", "old", status=1)


def test_a_file_that_is_written_otherwise_passes_with_a_note_and_a_lost_one_fails(model, capsys):
    path = model / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
    assert "as locked, though tokenizer.json changed." in checked(capsys, status=0)
    path.unlink()
    assert "can’t be opened" in checked(capsys, status=1)


def test_a_file_that_is_no_lock_file_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for text, said in [
        ("{", "not valid JSON"),
        ("[]", "is no lock file"),
        ('{"tessera_lock": 2}', "has the format 2"),
        ('{"tessera_lock": 1, "tokenizers": []}', "has no tokenizers"),
        ('{"tessera_lock": 1, "tokenizers": [{"name": "x"}]}', "tokenizer 1 has no usable 'texts'"),
    ]:
        Path("tessera.lock.json").write_text(text)
        assert main(["check"]) == 1
        assert said in capsys.readouterr().err
    assert main(["check", "none.json"]) == 1
    assert "`tessera lock TOKENIZER` writes it" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["o200k_harmony", "mistral_v3", "bert_uncased"])
def test_a_lock_file_takes_at_most_20_kb_a_tokenizer(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["lock", name]) == 0
    assert 12_000 < Path("tessera.lock.json").stat().st_size < 20_000
