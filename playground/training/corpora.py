"""Texts to learn from that come with the app, and the part of a text that is held out.

What people paste or upload joins them as a `Corpus`; reading it is `ui`'s business.
"""

import ast
import importlib.util
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from playground.core.assets import read_text
from playground.core.errors import InvalidInputError
from playground.training.parallel_texts import load_parallel_texts

_BLOCK_CHARACTERS = 2000
_MIN_BLOCKS = 40
_MODULES = ("argparse", "ast", "collections/__init__", "dataclasses", "datetime", "decimal", "difflib",
            "inspect", "json/decoder", "logging/__init__", "pathlib", "random", "statistics", "subprocess",
            "tarfile", "textwrap", "threading", "typing", "unittest/mock", "zipfile")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts with a title; no pretoken reaches from one text into the next."""

    title: str
    texts: tuple[str, ...]

    @property
    def n_characters(self) -> int:
        """Characters of all texts."""
        return sum(map(len, self.texts))


def split_held_out(corpus: Corpus, share: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts to learn from, and those held out: blocks of whole lines, spread evenly.

    Blocks are small in a small corpus, so that there are enough of them. `share` is a part of 1; a corpus
    of a single line is not split.

    >>> corpus = Corpus("lines", ("".join(f"line {n}\\n" for n in range(100_000)),))
    >>> training, held_out = split_held_out(corpus, 0.1)
    >>> round(sum(map(len, held_out)) / corpus.n_characters, 2)
    0.1
    """
    if not 0 <= share <= 0.5:
        raise InvalidInputError(f"a held-out part of {share:.0%} cannot be used; choose 0 % to 50 %")
    training: list[str] = []
    held_out: list[str] = []
    n_block = min(_BLOCK_CHARACTERS, corpus.n_characters // _MIN_BLOCKS)
    due = share / 2  # what is owed to the held-out part, in blocks
    for text in corpus.texts:
        kept: list[str] = []
        position = 0
        while position < len(text):
            newline = text.find("\n", min(position + n_block, len(text)))
            end = newline + 1 if newline >= 0 else len(text)
            block = text[position:end]
            position = end
            is_whole = len(block) == corpus.n_characters
            due += share
            if due >= 1 and not is_whole:
                due -= 1
                held_out.append(block)
            else:
                kept.append(block)
        training.append("".join(kept))
    return tuple(training), tuple(held_out)


@cache
def novel() -> Corpus:
    """Jane Austen's "Pride and Prejudice" of 1813, 684,000 characters of English."""
    text = read_text("texts/pride_and_prejudice.txt")
    return Corpus("English novel: Pride and Prejudice", (text,))


@cache
def manual() -> Corpus:
    """Python's own documentation of its language, 465,000 characters of English."""
    # Parsed rather than imported: some distributions ship the file but not the package.
    path = Path(sysconfig.get_paths()["stdlib"]) / "pydoc_data" / "topics.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    table = next(
        node.value for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
    )
    topics: dict[str, str] = ast.literal_eval(table)
    return Corpus("English manual: Python's documentation", tuple(topics.values()))


@cache
def python_code() -> Corpus:
    """Twenty modules of the standard library."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    paths = [folder / f"{name}.py" for name in _MODULES]
    texts = tuple(path.read_text(encoding="utf-8") for path in paths if path.exists())
    return Corpus("Python: the standard library", texts)


@cache
def json_schema() -> Corpus:
    """The schema of Vega-Lite that comes with Altair, 1.9 MB of JSON."""
    spec = importlib.util.find_spec("altair")
    if spec is None or spec.origin is None:
        raise InvalidInputError("Altair is not installed, and its schema is the JSON to learn from")
    path = next(Path(spec.origin).parent.glob("vegalite/*/schema/vega-lite-schema.json"))
    return Corpus("JSON: Vega-Lite's schema", (path.read_text(encoding="utf-8"),))


@cache
def udhr_languages() -> dict[str, str]:
    """The Universal Declaration of Human Rights by the name of its language."""
    return {text.name: "\n".join(text.articles) + "\n" for text in load_parallel_texts()}


def udhr(weights: Mapping[str, int] | None = None) -> Corpus:
    """The Declaration in the languages given, each as often as its weight; all once by default.

    >>> udhr({"Korean": 2}).title
    'Human rights in Korean'
    """
    languages = udhr_languages()
    weights = dict.fromkeys(languages, 1) if weights is None else weights
    unknown = [name for name in weights if name not in languages]
    if unknown or not any(weights.values()):
        raise InvalidInputError(f"choose at least one language of {', '.join(languages)}")
    names = [name for name, weight in weights.items() if weight > 0]
    title = ", ".join(names) if len(names) <= 3 else f"{len(names)} languages"
    texts = tuple(languages[name] for name in names for _ in range(weights[name]))
    return Corpus(f"Human rights in {title}", texts)


#: The corpus whose languages can be chosen and weighed.
LANGUAGES = "Many languages: human rights"
#: Bundled corpora by the name shown, first the one that opens the page.
BUNDLED: dict[str, Callable[[], Corpus]] = {
    "English novel: Pride and Prejudice": novel,
    "English manual: Python's documentation": manual,
    "Python: the standard library": python_code,
    LANGUAGES: udhr,
    "JSON: Vega-Lite's schema": json_schema,
}
