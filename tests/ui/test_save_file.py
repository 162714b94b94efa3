"""Saving a file: it is made in the run that a press has asked for, and in no other."""

import json

from streamlit.testing.v1 import AppTest


def test_no_file_is_made_before_its_button_is_pressed():
    def page():
        from playground.ui.save_file import copy_text, save_file

        def refuse() -> str:
            raise AssertionError("made without a press")

        save_file("Save it", "a.zip", refuse)
        copy_text("Copy it", refuse)

    app = AppTest.from_function(page, default_timeout=60).run()
    assert list(app.exception) == []
    drawn = [json.loads(part.proto.json) for part in app.main.children.values()]
    assert [(data["label"], data["content"]) for data in drawn] == [("Save it", None), ("Copy it", None)]
