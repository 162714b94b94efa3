"""A field's value lasts for the session and goes into the page's address."""

import pytest
from streamlit.testing.v1 import AppTest


def script():
    import streamlit as st

    from playground.ui import state

    number, choice = state.Field("number", 7), state.Field("choice", "b")
    several, text = state.Field("several", ["a", "z"]), state.Field("text", "", in_address=False)
    options = ["a", "b", "c"]
    if st.session_state.get("is_shown", True):
        st.number_input("Number", **number.shown())
        st.selectbox("Choice", options, **choice.one_of(options))
        st.multiselect("Several", options, **several.some_of(options))
        st.text_area("Text", **text.shown())
    st.button("Put", on_click=lambda: number.put(40))
    st.session_state["values"] = [number.value, choice.value, several.value, text.value]


@pytest.fixture
def app():
    return AppTest.from_function(script, default_timeout=20).run()


def test_a_field_opens_with_its_default_and_only_with_options(app):
    assert app.session_state["values"] == [7, "b", ["a"], ""]


def test_a_value_stays_while_its_widget_is_not_drawn(app):
    app.number_input[0].set_value(9)
    app.text_area[0].set_value("typed").run()
    app.session_state["is_shown"] = False
    app.run()
    assert app.session_state["values"] == [9, "b", ["a"], "typed"]
    app.session_state["is_shown"] = True
    app.run()
    assert app.number_input[0].value == 9


def test_a_callback_replaces_a_value(app):
    app.button[0].click().run()
    assert app.number_input[0].value == 40


def test_an_address_opens_fields_and_an_invalid_value_is_left_out():
    linked = AppTest.from_function(script, default_timeout=20)
    linked.query_params["choice"] = "c"
    linked.query_params["number"] = "none"
    linked.query_params["text"] = "long texts are not in the address"
    linked.run()
    assert linked.session_state["values"] == [7, "c", ["a"], ""]
