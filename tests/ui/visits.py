"""Visits to pages in Streamlit's test runner, and a small tokenizer."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.training.algorithms.bpe import BpeLearner
from playground.training.pretoken_counts import count_pretokens

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "playground/ui/contents.py"


def visit(name: str, kept: Mapping[str, object] = MappingProxyType({})) -> AppTest:
    """Open a page; `kept` has values of the session."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page(str(ROOT / f"pages/{name}.py"))
    for key, value in kept.items():
        app.session_state[key] = value
    app.run()
    assert list(app.exception) == []
    return app


def choose(page: AppTest, chosen: str | list[str], *, picker: str = "tokenizer") -> None:
    """Choose one or several tokenizers, as the picker's browser code does."""
    page.session_state[f"keep.{picker}"] = [chosen] if isinstance(chosen, str) else chosen
    page.run()


@cache
def learned(name: str, text: str, *, vocab_size: int = 400) -> TrainedTokenizer:
    """Train a tokenizer on a text."""
    pattern = SplitPattern.named("gpt2")
    counts = count_pretokens([text], pattern)
    trainer = BpeLearner(counts, pattern=pattern, vocab_size=vocab_size, min_count=1)
    trainer.advance()
    return TrainedTokenizer(name, trainer.model())


def html_of(app: AppTest) -> str:
    """Return all HTML of a page."""
    return "\n".join(str(getattr(item, "value", "")) for item in app.get("html"))


def markdown_of(app: AppTest) -> str:
    """Return all Markdown of a page."""
    return "\n".join(item.value for item in app.markdown)


def places_of(app: AppTest, kind: str) -> list[tuple[int, ...]]:
    """Return the places of all elements of a kind; a moved element has both places until the run ends."""

    def walk(node: Node, path: tuple[int, ...]) -> list[tuple[int, ...]]:
        below = node.children.items() if isinstance(node, Block) else ()
        found = [place for number, child in below for place in walk(child, (*path, number))]
        return [path, *found] if node.type == kind else found

    return walk(app.main, ())
