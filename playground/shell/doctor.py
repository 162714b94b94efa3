"""`doctor`: show what is installed and found on this machine, and what would make it better."""

import json
import os
import platform
import shutil
import tempfile
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from playground.catalog.shipped_vocabularies import VOCABULARY_DIR
from playground.core.assets import ASSETS
from playground.core.home import DISTRIBUTION, HOME, VERSION
from playground.expect import model_file
from playground.shell.commands import JSON, Arguments, command, flag
from playground.shell.terminal import aligned
from playground.shell.tokenizer_arguments import MODELS_OPTION, local_places

_MAIN = ("tiktoken", "toktok-rs", "numpy")
#: What each extra adds, by the package that tells whether it is installed.
_EXTRAS = {
    "files": ("tokenizers", "runs files of Hugging Face and SentencePiece, and proves exports for them"),
    "formats": ("toon-format", "writes data in every format (`tessera formats`)"),
    "app": ("streamlit", "brings the pages in the browser (`tessera serve`)"),
    "scale": ("distributed", "reads Parquet and .zst, and works on several machines (--engine dask)"),
    "models": ("huggingface-hub", "downloads models, and reads hf:// addresses"),
    "notebook": ("ipykernel", "runs the notebooks"),
    "mcp": ("mcp", "offers the commands to an assistant (`tessera mcp`)"),
}


@command("doctor", "tessera doctor", "tessera doctor --models ~/tokenizers --json")
@MODELS_OPTION
@flag("--clean", "Remove what is cached, and nothing else.")
@JSON
def run(arguments: Arguments) -> int:
    """Print the findings and the advice, as text or as JSON; 1 if a part of Tessera is missing."""
    cached = [{"path": str(path), "bytes": model_file.size_of(path)} for path in _find_caches()]
    if arguments.clean:
        for cache in cached:
            shutil.rmtree(str(cache["path"]))
            if not arguments.json:
                print(f"removed {cache['path']}: {cache['bytes']:,} bytes")
        if arguments.json:
            print(json.dumps({"removed": cached}, indent=2))
        elif not cached:
            print("nothing is cached")
        return 0
    packages = {name: _version(name) for name in (*_MAIN, *(name for name, _ in _EXTRAS.values()))}
    places = local_places(arguments.models)
    models = Counter(model.place for model in places.find().values())
    files = {
        "assets": len([path for path in ASSETS.rglob("*") if path.is_file()]),
        "vocabularies": len([*VOCABULARY_DIR.glob("*.gz")]),
        "fonts": len([*(ASSETS / "fonts").glob("*.woff2")]),
        "pages": len([*(HOME / "pages").glob("*.py")]),
    }
    missing = [name for name in _MAIN if packages[name] is None]
    broken = [*(f"{name} is not installed" for name in missing)]
    broken += [f"{HOME}: no {name} there; install Tessera again" for name, n in files.items() if not n]
    advice = [*broken, *_advice(packages, has_models=bool(models), has_caches=bool(cached))]
    answer = {
        "version": VERSION,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "home": str(HOME),
        "packages": packages,
        "files": files,
        "models_on_this_machine": dict(models),
        "expect_model": str(model_file.find_model() or ""),
        "cached": cached,
        "advice": advice,
    }
    print(json.dumps(answer, indent=2) if arguments.json else _as_text(answer))
    return 1 if broken else 0


def _as_text(answer: dict[str, Any]) -> str:
    models = ", ".join(f"{n:,} in {place}" for place, n in answer["models_on_this_machine"].items())
    rows = [
        ("Tessera", f"{answer['version']} in {answer['home']}"),
        ("Python", f"{answer['python']}, {answer['cores']} cores"),
        ("Files", ", ".join(f"{n:,} {name}" for name, n in answer["files"].items())),
        *((name, found or "not installed") for name, found in answer["packages"].items()),
        ("Models found", models or "none"),
        ("Model of Expect", answer["expect_model"] or "none"),
        *[("Cached", f"{cache['bytes']:,} bytes in {cache['path']}") for cache in answer["cached"]],
    ]
    advice = answer["advice"] or ["Nothing is missing."]
    return "\n".join([aligned(rows, names=[0, 1]), "", *(f"- {line}" for line in advice)])


def _advice(packages: dict[str, str | None], *, has_models: bool, has_caches: bool) -> list[str]:
    lines = [
        f"pip install '{DISTRIBUTION}[{extra}]' {what}"
        for extra, (package, what) in _EXTRAS.items()
        if packages[package] is None
    ]
    if has_caches:
        lines.append("`tessera doctor --clean` removes what is cached")
    if not _is_writable(Path.home()):
        lines.append(f"{Path.home()} cannot be written, so the model of the page Expect cannot be kept")
    if model_file.find_model():
        lines.append("`tessera get-model --remove` removes the model of the page Expect")
    if not has_models:
        lines.append("--models DIR, or folders in TESSERA_MODELS, adds tokenizers of your own")
    return lines


def _find_caches() -> list[Path]:
    """Return folders of the user that nothing needs: code of earlier versions, and unfinished downloads."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "tessera")
    compiled = [*cache.glob("numba-*"), *Path(tempfile.gettempdir()).glob("tessera-*/numba-*")]
    user = getattr(os, "getuid", int)()  # Windows has none, and there every file is of user 0
    return [path for path in (*compiled, *model_file.find_leftovers()) if path.stat().st_uid == user]


def _is_writable(folder: Path) -> bool:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return os.access(existing, os.W_OK)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
