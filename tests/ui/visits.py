"""A visit to a page by Streamlit's own test runner, and a small tokenizer to look at."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer, model_of

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "playground/ui/contents.py"


def visit(name: str, kept: Mapping[str, object] = MappingProxyType({})) -> AppTest:
    """A page after its first run; `kept` is what the session has already."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page(str(ROOT / f"pages/{name}.py"))
    for key, value in kept.items():
        app.session_state[key] = value
    app.run()
    assert list(app.exception) == []
    return app


def choose(page: AppTest, chosen: str | list[str], *, picker: str = "tokenizer") -> None:
    """Choose a tokenizer, or several, as the picker's browser code says it."""
    page.session_state[f"keep.{picker}"] = [chosen] if isinstance(chosen, str) else chosen
    page.run()


def learned(name: str, text: str, *, vocab_size: int = 400) -> TrainedTokenizer:
    """A tokenizer of a text."""
    pattern = SplitPattern.named("gpt2")
    trainer = Trainer(count_pretokens([text], pattern), vocab_size=vocab_size, min_count=1)
    trainer.advance()
    return TrainedTokenizer(name, model_of(trainer, pattern))


def html_of(app: AppTest) -> str:
    """All that the page has as HTML."""
    return "\n".join(str(getattr(item, "value", "")) for item in app.get("html"))


def markdown_of(app: AppTest) -> str:
    """All that the page has as Markdown."""
    return "\n".join(item.value for item in app.markdown)


def places_of(app: AppTest, kind: str) -> list[tuple[int, ...]]:
    """Where all of a kind stand. What moves stands in both places in a browser, until the run has ended."""

    def walk(node: Node, path: tuple[int, ...]) -> list[tuple[int, ...]]:
        below = node.children.items() if isinstance(node, Block) else ()
        found = [place for number, child in below for place in walk(child, (*path, number))]
        return [path, *found] if node.type == kind else found

    return walk(app.main, ())
