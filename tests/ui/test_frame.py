"""What every page shares."""

from streamlit.testing.v1 import AppTest

from tests.ui.visits import html_of


def test_a_title_is_text():
    def opened():
        from playground.ui import page

        page.open_page("a <b> title", claim="a <i> claim")

    app = AppTest.from_function(opened, default_timeout=60).run()
    assert '<h1 class="claim">a &lt;b&gt; title<span>a &lt;i&gt; claim</span></h1>' in html_of(app)
