"""The frame of every page."""

from streamlit.testing.v1 import AppTest

from tests.ui.visits import html_of


def test_markup_in_a_title_is_escaped():
    def opened():
        from playground.ui import page

        page.open_page("a <b> title", claim="a <i> claim")

    app = AppTest.from_function(opened, default_timeout=60).run()
    assert '<h1 class="claim">a &lt;b&gt; title<span>a &lt;i&gt; claim</span></h1>' in html_of(app)


def test_an_unknown_page_is_reported(monkeypatch):
    from playground.ui import page

    monkeypatch.setattr(page, "asked_path", lambda _url: "no_`such`_page")
    app = AppTest.from_file("../../playground/ui/contents.py", default_timeout=60).run()
    assert [info.value for info in app.info][:1] == [
        "There is no page “no\\_\\`such\\`\\_page”, so you are on Tokenize."
    ]
