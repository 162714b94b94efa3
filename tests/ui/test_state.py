"""A field's value outlives its page, may be put, and is told to the browser in every run."""

import pytest
from streamlit.elements.lib import policies
from streamlit.testing.v1 import AppTest

from playground.ui import state as ui_state


def script():
    import streamlit as st

    from playground.ui import state

    options = st.session_state.get("options", ["a", "b", "c"])
    number = state.Field("number", 7)
    choice, several = state.Field("choice", "b"), state.Field("several", ["a", "c"])
    view, typed = state.Field("view", "a"), state.Field("typed", "")

    def put_all():
        number.put(40)
        choice.put("a")
        several.put(["b"])
        view.put("c")

    if st.session_state.get("is_shown", True):
        st.number_input("Number", **number.shown())
        st.selectbox("Choice", options, **choice.one_of(options))
        st.multiselect("Several", options, **several.some_of(options))
        st.segmented_control("View", options, required=True, **view.some_of(options))
        st.text_area("Typed", **typed.shown())
    st.button("Put", on_click=put_all)
    st.session_state["values"] = [field.value for field in (number, choice, several, view, typed)]


@pytest.fixture
def app():
    return AppTest.from_function(script, default_timeout=20).run()


def shown(app):
    return [
        app.number_input[0].value,
        app.selectbox[0].value,
        app.multiselect[0].value,
        app.button_group[0].value,
        app.text_area[0].value,
    ]


def told(app):
    """What a browser that draws this run alone opens its widgets with."""
    options = ["d", "a"] if "options" in app.session_state else ["a", "b", "c"]
    choice, several, view = app.selectbox[0].proto, app.multiselect[0].proto, app.button_group[0].proto
    return [
        app.number_input[0].proto.default,
        options[choice.default],
        [options[n] for n in several.default],
        options[view.default[0]],
        app.text_area[0].proto.default,
    ]


def assert_all(app, *values):
    assert shown(app) == told(app) == app.session_state["values"] == list(values)
    protos = [app.number_input[0], app.selectbox[0], app.multiselect[0], app.text_area[0]]
    assert not any(widget.proto.set_value for widget in protos), "told once is not told"


def leave_and_come_back(app):
    app.session_state["is_shown"] = False
    app.run()
    app.session_state["is_shown"] = True
    app.run()


def test_a_field_opens_with_its_default(app):
    assert_all(app, 7, "b", ["a", "c"], "a", "")


def test_what_is_changed_first_of_all_outlives_its_page(app):
    app.number_input[0].set_value(9)
    app.selectbox[0].set_value("c")
    app.multiselect[0].set_value([])
    app.button_group[0].set_value("b")
    app.text_area[0].set_value("abc").run()
    assert_all(app, 9, "c", [], "b", "abc")
    leave_and_come_back(app)
    assert_all(app, 9, "c", [], "b", "abc")
    app.run()
    assert_all(app, 9, "c", [], "b", "abc")


def test_a_value_that_comes_with_the_click_on_another_page_is_kept(app):
    app.text_area[0].set_value("typed last")
    app.session_state["is_shown"] = False
    app.run()
    app.session_state["is_shown"] = True
    app.run()
    assert app.text_area[0].value == "typed last"


def test_put_replaces_what_was_typed_and_can_be_typed_over(app):
    app.number_input[0].set_value(9).run()
    app.button[0].click().run()
    assert shown(app) == app.session_state["values"] == [40, "a", ["b"], "c", ""]
    assert [app.number_input[0].proto.set_value, app.text_area[0].proto.set_value] == [True, False]
    app.run()
    assert_all(app, 40, "a", ["b"], "c", "")
    app.number_input[0].set_value(9).run()
    assert app.number_input[0].value == 9
    app.button[0].click().run()
    leave_and_come_back(app)
    assert_all(app, 40, "a", ["b"], "c", "")


def test_what_is_put_while_its_page_is_left_is_shown_there(app):
    app.session_state["is_shown"] = False
    app.run()
    app.button[0].click().run()
    app.session_state["is_shown"] = True
    app.run()
    assert shown(app) == [40, "a", ["b"], "c", ""]
    app.run()
    assert_all(app, 40, "a", ["b"], "c", "")


def test_browser_and_field_agree_where_the_run_of_a_put_was_missed(app):
    app.number_input[0].set_value(9).run()
    sent_before = app._tree.get_widget_states()
    app.button[0].click().run()
    app._run(sent_before)
    assert_all(app, 9, "b", ["a", "c"], "a", "")


def test_a_choice_that_is_no_option_any_more_gives_way(app):
    app.button_group[0].set_value("c")
    app.selectbox[0].set_value("c").run()
    app.session_state["options"] = ["d", "a"]
    app.run()
    assert (app.selectbox[0].value, app.multiselect[0].value, app.button_group[0].value) == ("d", ["a"], "d")
    assert list(app.exception) == []


def test_streamlit_does_not_warn_of_two_values(app, monkeypatch):
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    app.number_input[0].set_value(9).run()
    app.button[0].click().run()
    leave_and_come_back(app)
    assert not policies._shown_default_value_warning, "a value was set in the state and is an argument too"


def rerunning_script():
    import streamlit as st

    from playground.ui import state

    number = state.Field("number", 7)
    is_put = st.button("Put")
    if is_put:
        number.put(3)
    st.number_input("Number", **number.shown())
    if is_put:
        st.rerun()


def test_streamlit_does_not_warn_of_two_values_where_a_run_asks_for_the_next(monkeypatch):
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    app = AppTest.from_function(rerunning_script, default_timeout=20).run()
    app.button[0].click().run()
    assert app.number_input[0].value == 3
    assert not policies._shown_default_value_warning, "a value was set in the state and is an argument too"
    app.number_input[0].set_value(4).run()
    assert app.number_input[0].value == 4


def interrupted_script():
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, RerunException

    from playground.ui import state

    number = state.Field("number", 7)
    st.button("Put", on_click=number.put, args=(st.session_state.get("put", 40),))
    if st.session_state.pop("is_ended", False):
        try:
            with state.whole_run():
                st.number_input("Number", **number.shown())
                raise RerunException(RerunData())
        except RerunException:
            st.session_state["has_ended"] = True
    else:
        with state.whole_run():
            st.number_input("Number", **number.shown())


def test_what_was_put_is_told_again_at_once_since_a_browser_may_skip_a_run(monkeypatch):
    monkeypatch.setattr(ui_state, "_TOLD_AGAIN_SECONDS", 60)
    app = AppTest.from_function(interrupted_script, default_timeout=20).run()
    app.button[0].click().run()
    app.run()
    assert (app.number_input[0].value, app.number_input[0].proto.set_value) == (40, True)
    app.number_input[0].set_value(41).run()
    assert app.number_input[0].value == 41, "what a person changes meanwhile stands"
    monkeypatch.setattr(ui_state, "_TOLD_AGAIN_SECONDS", 0)
    app.run()
    assert (app.number_input[0].value, app.number_input[0].proto.set_value) == (41, False)


def test_what_an_ended_run_told_is_told_again(monkeypatch):
    monkeypatch.setattr(ui_state, "_TOLD_AGAIN_SECONDS", 0)
    app = AppTest.from_function(interrupted_script, default_timeout=20).run()
    app.session_state["is_ended"] = True
    app.button[0].click().run()
    assert app.session_state["has_ended"]
    app.run()
    assert (app.number_input[0].value, app.number_input[0].proto.set_value) == (40, True)
    app.run()
    assert (app.number_input[0].value, app.number_input[0].proto.set_value) == (40, False)


def test_what_an_ended_run_put_is_not_lost_to_what_the_browser_showed(monkeypatch):
    app = AppTest.from_function(interrupted_script, default_timeout=20).run()
    app.session_state["is_ended"] = True
    app.button[0].click().run()
    app.number_input[0].set_value(7).run()
    assert (app.number_input[0].value, app.number_input[0].proto.set_value) == (40, True)
    monkeypatch.setattr(ui_state, "_TOLD_AGAIN_SECONDS", 0)
    app.number_input[0].set_value(7).run()
    assert app.number_input[0].value == 7, "once it was told, it is chosen"


def test_what_was_put_is_not_lost_to_runs_that_were_asked_for_before_the_browser_heard_of_it(monkeypatch):
    monkeypatch.setattr(ui_state, "_TOLD_AGAIN_SECONDS", 60)
    app = AppTest.from_function(interrupted_script, default_timeout=20).run()
    app.button[0].click().run()
    app.number_input[0].set_value(7).run()
    assert (app.number_input[0].value, app.number_input[0].proto.set_value) == (40, True)
    app.session_state["put"] = 50
    app.run()
    app.button[0].click().run()
    for shown_before in (7, 40):
        app.number_input[0].set_value(shown_before).run()
        assert app.number_input[0].value == 50
    monkeypatch.setattr(ui_state, "_TOLD_AGAIN_SECONDS", 0)
    app.number_input[0].set_value(40).run()
    assert app.number_input[0].value == 40, "later it is chosen"


def test_what_no_run_has_told_for_long_gives_way(monkeypatch):
    monkeypatch.setattr(ui_state, "_UNTOLD_SECONDS", 0)
    app = AppTest.from_function(interrupted_script, default_timeout=20).run()
    app.session_state["is_ended"] = True
    app.button[0].click().run()
    app.number_input[0].set_value(7).run()
    assert app.number_input[0].value == 7
