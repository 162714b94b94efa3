"""Write `notebooks/build/`, the workbench's steps as notebooks.

Run `python -m scripts.write_build_notebooks` after a change of `assets/build/`.
"""

from pathlib import Path

from playground.lessons.workbench.notebooks import build_notebooks


def main() -> None:
    """Write all notebooks."""
    folder = Path(__file__).resolve().parents[1] / "notebooks" / "build"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in build_notebooks().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
