"""`doctor`: show what is installed and found on this machine, and what would make it better."""

import json
import os
import platform
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from playground.catalog.shipped_vocabularies import VOCABULARY_DIR
from playground.core.assets import ASSETS
from playground.core.home import DISTRIBUTION, HOME, VERSION
from playground.shell.commands import JSON, Arguments, command
from playground.shell.terminal import aligned
from playground.shell.tokenizer_arguments import MODELS_OPTION, local_places

_MAIN = ("tiktoken", "splintr-rs", "tokenizers", "sentencepiece", "numpy")
#: What each extra adds, by the package that tells whether it is installed.
_EXTRAS = {
    "app": ("streamlit", "brings the pages in the browser, and `tessera formats`"),
    "scale": ("distributed", "reads Parquet and .zst, and works on several machines (--engine dask)"),
    "models": ("huggingface-hub", "downloads models, and reads hf:// addresses"),
    "notebook": ("ipykernel", "runs the notebooks"),
    "mcp": ("mcp", "offers the commands to an assistant (`tessera mcp`)"),
}


@command("doctor", "tessera doctor", "tessera doctor --models ~/tokenizers --json")
@MODELS_OPTION
@JSON
def run(arguments: Arguments) -> int:
    """Print the findings and the advice, as text or as JSON; 1 if a part of Tessera is missing."""
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
    advice = [*broken, *_advice(packages, bool(models))]
    answer = {
        "version": VERSION,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "home": str(HOME),
        "packages": packages,
        "files": files,
        "models_on_this_machine": dict(models),
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
    ]
    advice = answer["advice"] or ["Nothing is missing."]
    return "\n".join([aligned(rows, names=[0, 1]), "", *(f"- {line}" for line in advice)])


def _advice(packages: dict[str, str | None], has_models: bool) -> list[str]:
    lines = [
        f"pip install '{DISTRIBUTION}[{extra}]' {what}"
        for extra, (package, what) in _EXTRAS.items()
        if packages[package] is None
    ]
    if not _is_writable(Path.home()):
        lines.append(f"{Path.home()} cannot be written, so nothing is kept there for the next start")
    if not has_models:
        lines.append("--models DIR, or folders in TESSERA_MODELS, adds tokenizers of your own")
    return lines


def _is_writable(folder: Path) -> bool:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return os.access(existing, os.W_OK)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
