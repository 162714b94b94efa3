"""Saving a text: the browser has a short one, Streamlit keeps a long one."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from playground.ui.save_text import MAX_SENT_CHARACTERS


@pytest.mark.parametrize("n_more", [0, 1])
def test_a_short_text_is_sent_with_the_button_and_a_long_one_is_not(n_more):
    def page(n_characters):
        from playground.ui.save_text import save_text

        save_text("Save it", "x" * n_characters, "a.txt")

    app = AppTest.from_function(page, args=(MAX_SENT_CHARACTERS + n_more,), default_timeout=60).run()
    assert list(app.exception) == []
    (drawn,) = app.main.children.values()
    if n_more:
        assert (drawn.type, drawn.proto.label) == ("download_button", "Save it")
    else:
        given = json.loads(drawn.proto.json)
        assert given == {"label": "Save it", "text": "x" * MAX_SENT_CHARACTERS, "file_name": "a.txt"}
