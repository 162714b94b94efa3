"""The code behind a page: the source of functions and classes, as in their files."""

import inspect

from streamlit.testing.v1 import AppTest

from playground.analysis.live_document import LiveDocument
from playground.bpe import lecture
from playground.formats.advice import advise
from playground.formats.conversion import Job
from tests.ui.visits import visit


def test_the_code_is_drawn_for_who_opens_it():
    def page():
        from playground.analysis.live_document import LiveDocument
        from playground.bpe import lecture
        from playground.formats.advice import advise
        from playground.formats.conversion import Job
        from playground.ui.page import show_source

        show_source(LiveDocument, Job, advise, lecture.train)

    app = AppTest.from_function(page, default_timeout=60).run()
    assert [code.value for code in app.code] == []
    codes = [code.value for code in app.button(key="source").click().run().code]
    shown = (LiveDocument, Job, advise, lecture.train)
    assert codes == [inspect.getsource(item).rstrip() for item in shown]


def test_every_page_ends_with_its_code():
    assert visit("compare").button(key="source").label == "Code behind this page"
