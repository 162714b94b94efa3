"""What a page keeps: values outlive it, are told as arguments, and may be replaced."""

from streamlit.testing.v1 import AppTest


def script():
    import streamlit as st

    from playground.ui import state

    if st.session_state.get("is_shown", True):
        st.number_input("Number", **state.kept("test.number", lambda: 7))
        st.selectbox("Choice", ["a", "b", "c"], **state.kept_choice("test.choice", ["a", "b", "c"], "b"))
    st.button("Replace", on_click=lambda: state.put_widget("test.number", 40))


def test_values_outlive_the_page_and_may_be_replaced():
    app = AppTest.from_function(script, default_timeout=20).run()
    assert (app.number_input[0].value, app.selectbox[0].value) == (7, "b")
    assert app.number_input[0].proto.default == 7, "an argument: it is told in every run"
    app.number_input[0].set_value(9)
    app.selectbox[0].set_value("c").run()
    app.session_state["is_shown"] = False
    app.run()
    app.session_state["is_shown"] = True
    app.run()
    assert (app.number_input[0].value, app.selectbox[0].value) == (9, "c")
    app.button[0].click().run()
    assert app.number_input[0].value == 40
    assert list(app.warning) == [], "Streamlit takes a state or an argument"
    app.run()
    assert (app.number_input[0].value, app.number_input[0].proto.default) == (40, 40)
