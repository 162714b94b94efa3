"""Tests share a browser context, and nothing that a visitor leaves in it."""

KEPT = """() => [document.cookie, {...localStorage}, {...sessionStorage}]"""


def test_a_new_page_is_of_a_new_visitor(new_page, app_url):
    page = new_page()
    page.goto(f"{app_url}/_stcore/health")
    page.evaluate(
        "() => { document.cookie = 'seen=1; path=/'; localStorage.seen = 1; sessionStorage.seen = 1; }"
    )
    kept = page.evaluate(KEPT)
    assert "seen=1" in kept[0]
    assert kept[1:] == [{"seen": "1"}] * 2
    other = new_page()
    other.goto(f"{app_url}/_stcore/health")
    kept = other.evaluate(KEPT)
    assert "seen" not in kept[0]
    assert kept[1:] == [{}, {}]


def test_a_page_that_stays_open_stores_no_taste_that_nobody_chose(editor, new_page):
    new_page()  # forgets all
    editor.set_text("one two")
    editor.ids()
    editor.page.wait_for_timeout(1_000)  # after a pause it stores what the tab holds
    assert editor.page.evaluate("() => localStorage.getItem('tessera.view')") is None
