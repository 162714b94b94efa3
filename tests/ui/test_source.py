"""The code behind a page: the source of functions and classes, as in their files."""

import ast
import inspect

import pytest

from playground.analysis.live_document import LiveDocument
from playground.bpe import lecture
from playground.formats.advice import advise
from playground.formats.conversion import Job
from playground.ui.page import _source
from tests.ui.visits import visit


@pytest.mark.parametrize("item", [LiveDocument, Job, advise, lecture.train])
def test_the_code_is_found_without_parsing_its_module(item, monkeypatch):
    expected = inspect.getsource(item)
    monkeypatch.setattr(ast, "parse", lambda *_: pytest.fail("the whole module was parsed"))
    assert _source.__wrapped__(item) == expected


def test_the_code_is_drawn_for_who_opens_it():
    page = visit("compare")
    assert [code.value for code in page.code] == []
    codes = [code.value for code in page.button(key="source").click().run().code]
    assert [code.splitlines()[0].partition("(")[0] for code in codes] == [
        "def cut_text",
        "def comparison_rows",
        "def count_agreement",
    ]
