"""Training texts that ship with the app, and the division of a corpus into training and held-out text.

Pasted and uploaded texts become a `Corpus` in `ui/train`.
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
PIECE_CHARACTERS = 1 << 18
_MIN_BLOCKS = 40
_MODULES = ("argparse", "ast", "collections/__init__", "dataclasses", "datetime", "decimal", "difflib",
            "inspect", "json/decoder", "logging/__init__", "pathlib", "random", "statistics", "subprocess",
            "tarfile", "textwrap", "threading", "typing", "unittest/mock", "zipfile")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Corpus:
    """A title and one or more texts; no pretoken crosses from one text into the next.

    `names` are those of `texts` where each is a language, or ().
    """

    title: str
    texts: tuple[str, ...] = ()
    files: tuple[Utf8Text | Utf8Rows, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def n_characters(self) -> int:
        """The number of characters of all texts."""
        return sum(map(len, self.texts)) + sum(map(len, self.files))

    @property
    def n_texts(self) -> int:
        """The number of texts."""
        return len(self.texts) + sum(file.n_texts for file in self.files)

    def iter_texts(self) -> Iterator[Iterable[str]]:
        """Yield each text, in pieces."""
        yield from map(_iter_pieces, self.texts)
        for file in self.files:
            for text in file.iter_texts():
                yield _iter_pieces(text) if isinstance(text, str) else text


def split_held_out(corpus: Corpus, share: float) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the training texts, each in pieces, and the held-out texts.

    Held-out blocks of whole lines are spread evenly over the corpus. Blocks are smaller in a small corpus, so
    that there are enough of them. `share` is between 0 and 1; a corpus of one line is not divided. Texts stay
    in pieces, because joining 50 MB would block the interpreter for 0.2 s.

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
    due = share / 2  # the length that the held-out part lags behind, in blocks
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
            if n_together >= PIECE_CHARACTERS:
                kept[n_kept:] = ["".join(kept[n_kept:])]
                n_kept, n_together = len(kept), 0
        training.append((*kept[:n_kept], "".join(kept[n_kept:])))
    return tuple(training), tuple(held_out)


def _iter_pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield text[start : start + PIECE_CHARACTERS]


def _iter_blocks(pieces: Iterable[str], n_characters: int) -> Iterator[list[str]]:
    """Yield blocks of whole lines of at least this length, each as a list of parts of the pieces."""
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
    """Return Jane Austen's "Pride and Prejudice" of 1813, 684,000 characters of English."""
    text = read_text("texts/pride_and_prejudice.txt")
    return Corpus("English novel: Pride and Prejudice", (text,))


@cache
def manual() -> Corpus:
    """Return Python's own documentation of its language, 465,000 characters of English."""
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
    """Return twenty modules of Python's standard library."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    paths = [folder / f"{name}.py" for name in _MODULES]
    texts = tuple(path.read_text(encoding="utf-8") for path in paths if path.exists())
    return Corpus("Python: the standard library", texts)


@cache
def json_schema() -> Corpus:
    """Return the schema of Vega-Lite that ships with Altair, 1.9 MB of JSON."""
    spec = importlib.util.find_spec("altair")
    if spec is None or spec.origin is None:
        raise InvalidInputError("Altair is not installed, and its schema is the JSON to learn from")
    path = next(Path(spec.origin).parent.glob("vegalite/*/schema/vega-lite-schema.json"))
    return Corpus("JSON: Vega-Lite's schema", (path.read_text(encoding="utf-8"),))


@cache
def udhr_languages() -> dict[str, str]:
    """Return the text of the Universal Declaration of Human Rights for each language."""
    return {text.name: "\n".join(text.articles) + "\n" for text in load_parallel_texts()}


def udhr(weights: Mapping[str, int] | None = None) -> Corpus:
    """Return the Declaration in these languages, repeated by their weights; once in all languages by default.

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


#: The corpus whose languages can be chosen and weighted.
LANGUAGES = "Many languages: human rights"
#: Bundled corpora by their displayed name; the page opens with the first.
BUNDLED: dict[str, Callable[[], Corpus]] = {
    "English novel: Pride and Prejudice": novel,
    "English manual: Python's documentation": manual,
    "Python: the standard library": python_code,
    LANGUAGES: udhr,
    "JSON: Vega-Lite's schema": json_schema,
}
