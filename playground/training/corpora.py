"""Texts to learn from that come with the app, and the part of a text that is held out.

What people paste or upload joins them as a `Corpus`; reading it is `ui`'s business.
"""

import ast
import importlib.util
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from playground.core.assets import read_text
from playground.core.errors import InvalidInputError
from playground.training.parallel_texts import load_parallel_texts
from playground.training.utf8_files import Utf8Rows, Utf8Text

_BLOCK_CHARACTERS = 2000
_PIECE_CHARACTERS = 1 << 18
_MIN_BLOCKS = 40
_MODULES = ("argparse", "ast", "collections/__init__", "dataclasses", "datetime", "decimal", "difflib",
            "inspect", "json/decoder", "logging/__init__", "pathlib", "random", "statistics", "subprocess",
            "tarfile", "textwrap", "threading", "typing", "unittest/mock", "zipfile")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts with a title, and files of one or many more; no pretoken reaches from one into the next."""

    title: str
    texts: tuple[str, ...] = ()
    files: tuple[Utf8Text | Utf8Rows, ...] = ()

    @property
    def n_characters(self) -> int:
        """Characters of all texts."""
        return sum(map(len, self.texts)) + sum(map(len, self.files))

    @property
    def n_texts(self) -> int:
        """How many texts there are."""
        return len(self.texts) + sum(file.n_texts for file in self.files)

    def iter_texts(self) -> Iterator[Iterable[str]]:
        """Each text, in pieces."""
        yield from map(_iter_pieces, self.texts)
        for file in self.files:
            for text in file.iter_texts():
                yield _iter_pieces(text) if isinstance(text, str) else text


def split_held_out(corpus: Corpus, share: float) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The texts to learn from, each in pieces, and those held out: blocks of whole lines, spread evenly.

    Blocks are small in a small corpus, so that there are enough of them. `share` is a part of 1; a corpus
    of a single line is not split. To join 50 MB of pieces would hold the interpreter for 0.2 s.

    >>> corpus = Corpus("lines", ("".join(f"line {n}\\n" for n in range(100_000)),))
    >>> training, held_out = split_held_out(corpus, 0.1)
    >>> round(sum(map(len, held_out)) / corpus.n_characters, 2)
    0.1
    """
    if not 0 <= share <= 0.5:
        raise InvalidInputError(f"a held-out part of {share:.0%} cannot be used; choose 0 % to 50 %")
    training: list[tuple[str, ...]] = []
    held_out: list[str] = []
    n_characters = corpus.n_characters
    n_block = min(_BLOCK_CHARACTERS, n_characters // _MIN_BLOCKS)
    due = share / 2  # what is owed to the held-out part, in blocks
    for pieces in corpus.iter_texts():
        kept: list[str] = []
        n_kept = n_together = 0
        for block in _iter_blocks(pieces, n_block):
            n_in_block = sum(map(len, block))
            due += share
            if due >= 1 and n_in_block < n_characters:
                due -= 1
                held_out.append("".join(block))
                continue
            kept += block
            n_together += n_in_block
            if n_together >= _PIECE_CHARACTERS:
                kept[n_kept:] = ["".join(kept[n_kept:])]
                n_kept, n_together = len(kept), 0
        training.append((*kept[:n_kept], "".join(kept[n_kept:])))
    return tuple(training), tuple(held_out)


def _iter_pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), _PIECE_CHARACTERS):
        yield text[start : start + _PIECE_CHARACTERS]


def _iter_blocks(pieces: Iterable[str], n_characters: int) -> Iterator[list[str]]:
    """Blocks of whole lines, at least so long, each in the parts that pieces gave it."""
    block: list[str] = []
    n_in_block = 0
    for piece in pieces:
        start = 0
        while (newline := piece.find("\n", start + max(n_characters - n_in_block, 0))) >= 0:
            yield [*block, piece[start : newline + 1]]
            block, n_in_block, start = [], 0, newline + 1
        if start < len(piece):
            block.append(piece[start:])
            n_in_block += len(piece) - start
    if block:
        yield block


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
