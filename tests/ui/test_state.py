"""A field's value outlives its page, may be put, and is told to the browser in every run."""

import pytest
from streamlit.elements.lib import policies
from streamlit.testing.v1 import AppTest

from playground.ui.presses import hear_each_press


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

    with state.run_drawn():
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
    hear_each_press()
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
    with state.run_drawn():
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
    from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

    from playground.ui import state

    context = get_script_run_ctx()
    assert context is not None
    looks = context.session_state

    def end_run():
        """As Streamlit does: at each look at the state, until the run is over."""
        object.__setattr__(looks, "_yield_callback", end_run)
        raise RerunException(RerunData())

    number = state.Field("number", 7)
    st.button("Put", on_click=number.put, args=(st.session_state.get("put", 40),))
    try:
        with state.run_drawn(st.session_state.get("part", "")):
            if st.session_state.get("is_shown", True):
                st.number_input("Number", **number.shown())
            if st.session_state.pop("is_ended", False):
                end_run()
    except RerunException:
        object.__setattr__(looks, "_yield_callback", lambda: None)
        st.session_state["has_ended"] = True
    st.session_state["value"] = number.value


@pytest.fixture
def interrupted():
    hear_each_press()
    return AppTest.from_function(interrupted_script, default_timeout=20).run()


def put(app):
    """What a browser says that has not drawn yet what this puts."""
    sent_before = app._tree.get_widget_states()
    app.button[0].click().run()
    return sent_before


def assert_shown(app, value, *, is_told):
    assert (app.number_input[0].value, app.session_state["value"]) == (value, value)
    assert app.number_input[0].proto.set_value == is_told
    assert list(app.exception) == []


def assert_told_until_drawn(app, value):
    assert_shown(app, value, is_told=True)
    app.run()
    assert_shown(app, value, is_told=False)


def test_what_was_put_is_told_until_the_browser_says_that_it_has_drawn_that(interrupted):
    app = interrupted
    sent_before = put(app)
    for _ in range(3):
        app._run(sent_before)
        assert_shown(app, 40, is_told=True)
    app.run()
    assert_shown(app, 40, is_told=False)


def test_what_a_person_changes_before_a_put_value_is_drawn_stands(interrupted):
    app = interrupted
    sent_before = put(app)
    for state in sent_before.widgets:
        if "number" in state.id:
            state.double_value = 41
    app._run(sent_before)
    assert_told_until_drawn(app, 41)


@pytest.mark.parametrize("chosen", [41, 7])
def test_what_is_chosen_is_not_lost_to_a_run_that_tells_again_what_was_put(interrupted, chosen):
    app = interrupted
    sent_before = put(app)
    shows_40 = app._tree.get_widget_states()
    app.number_input[0].set_value(chosen)
    sent_then = app._tree.get_widget_states()
    app._run(sent_before)  # it is on its way to the browser when someone chooses
    app._run(sent_then)
    app._run(shows_40)
    assert_told_until_drawn(app, chosen)


def test_what_was_there_before_can_be_chosen_as_soon_as_the_browser_has_drawn_what_was_put(interrupted):
    app = interrupted
    sent_before = put(app)
    app._run(sent_before)
    app.number_input[0].set_value(7).run()
    assert_shown(app, 7, is_told=False)


def test_a_browser_that_draws_one_of_several_runs_that_tell_is_believed_and_told_again(interrupted):
    app = interrupted
    sent_before = put(app)
    app._run(sent_before)
    app.number_input[0].set_value(7)
    chosen = app._tree.get_widget_states()
    app._run(sent_before)
    assert_shown(app, 40, is_told=True)
    app._run(chosen)
    assert_told_until_drawn(app, 7)


def test_a_part_that_runs_alone_tells_again_what_the_page_has_told(interrupted):
    app = interrupted
    sent_before = put(app)
    for part in ("training", ""):
        app.session_state["part"] = part
        app._run(sent_before)
        assert_shown(app, 40, is_told=True)


def test_what_an_ended_run_told_is_told_again(interrupted):
    app = interrupted
    app.session_state["is_ended"] = True
    sent_before = put(app)
    assert app.session_state["has_ended"]
    app.number_input[0].set_value(7).run()
    assert_shown(app, 40, is_told=True)
    app._run(sent_before)
    assert_told_until_drawn(app, 40)


def test_what_was_put_is_not_lost_on_a_page_that_does_not_show_it(interrupted):
    app = interrupted
    sent_before = put(app)
    app.session_state["is_shown"] = False
    app._run(sent_before)
    app.run()
    app.session_state["is_shown"] = True
    app.run()
    assert_told_until_drawn(app, 40)


def test_what_is_chosen_on_the_way_to_another_page_is_kept(interrupted):
    app = interrupted
    put(app)
    app.number_input[0].set_value(7)
    app.session_state["is_shown"] = False
    app.run()
    app.run()
    app.session_state["is_shown"] = True
    app.run()
    assert_shown(app, 7, is_told=False)


def test_of_two_values_put_neither_is_lost_to_what_was_shown_before(interrupted):
    app = interrupted
    shows_7 = app._tree.get_widget_states()
    app.button[0].click()
    pressed = app._tree.get_widget_states()
    app._run(pressed)
    shows_40 = app._tree.get_widget_states()
    app.session_state["put"] = 50
    app._run(shows_7)
    app._run(pressed)
    for sent in (shows_7, shows_40):
        app._run(sent)
        assert_shown(app, 50, is_told=True)
    app.run()
    app.number_input[0].set_value(40).run()
    assert_shown(app, 40, is_told=False)


def renaming_script():
    import streamlit as st

    from playground.ui import state

    several, one = state.Field("several", ["a", "b"]), state.Field("one", "b")

    def rename():
        st.session_state["options"] = ["a", "c"]
        several.put(["a", "c"])
        one.put("c")

    def keep_known():
        several.put([one for one in several.value if one in st.session_state["options"]])

    with state.run_drawn():
        options = st.session_state.get("options", ["a", "b"])
        st.button("Rename", on_click=rename)
        chosen = several.some_of(options)
        st.multiselect("Several", options, format_func=str.upper, on_change=keep_known, **chosen)
        st.selectbox("One", options, format_func=str.upper, **one.one_of(options))
        st.session_state["values"] = several.value, one.value


def test_what_is_chosen_by_a_name_that_is_no_option_any_more_is_nobodys_choice():
    hear_each_press()
    app = AppTest.from_function(renaming_script, default_timeout=20).run()
    shows_before = app._tree.get_widget_states()
    app._run(shows_before)
    app.button[0].click().run()
    for _ in range(2):
        app._run(shows_before)
        assert app.session_state["values"] == (["a", "c"], "c")
    app.run()
    assert (app.multiselect[0].value, app.selectbox[0].value) == (["a", "c"], "c")
    app.multiselect[0].set_value(["a"])
    app.selectbox[0].set_value("a").run()
    assert app.session_state["values"] == (["a"], "a")


def test_what_is_chosen_before_a_new_name_is_drawn_stands():
    hear_each_press()
    app = AppTest.from_function(renaming_script, default_timeout=20).run()
    shows_before = app._tree.get_widget_states()
    app.button[0].click().run()
    for widget in shows_before.widgets:
        if widget.id.endswith("-several"):
            widget.string_array_value.data[:] = ["A"]
    app._run(shows_before)
    assert app.session_state["values"] == (["a"], "c")


def test_what_a_part_tells_is_told_until_the_browser_says_that_it_has_drawn_the_part(interrupted):
    app = interrupted
    app.session_state["part"] = "training"
    app.run()
    sent_before = put(app)
    app._run(sent_before)
    assert_told_until_drawn(app, 40)


def say(app, number):
    sent = app._tree.get_widget_states()
    sent.widgets.add(id="said", string_value=number)
    app._run(sent)
    assert list(app.exception) == []


def test_a_run_tells_the_number_of_the_message_that_it_has_heard(interrupted):
    app = interrupted

    assert app.text_input[0].value == "1 0"
    say(app, "1")
    assert app.text_input[0].value == "2 1"
    say(app, "12")
    assert app.text_input[0].value == "3 12"
    app.run()
    assert app.text_input[0].value == "4 12"


def test_a_run_after_one_that_was_ended_tells_what_it_has_heard(interrupted):
    app = interrupted
    app.session_state["is_ended"] = True
    say(app, "1")
    assert app.session_state["has_ended"]
    say(app, "2")
    assert app.text_input[0].value == "3 2"


def failing_script():
    from playground.ui import state

    with state.run_drawn():
        raise ValueError("a defect")


def test_a_page_that_fails_tells_what_it_has_heard():
    hear_each_press()
    app = AppTest.from_function(failing_script, default_timeout=20).run()
    sent = app._tree.get_widget_states()
    sent.widgets.add(id="said", string_value="5")
    app._run(sent)
    assert [error.message for error in app.exception] == ["a defect"]
    assert app.text_input[0].value == "2 5"


def parts_script():
    import streamlit as st

    from playground.ui import state

    number = state.Field("number", 7)
    with state.run_drawn():
        state.draw_again("part", st.divider, None)
        st.button("Put", on_click=number.put, args=(40,))
        st.number_input("Number", **number.shown())


def test_a_page_tells_until_it_is_drawn_itself_and_not_only_a_part_of_it():
    hear_each_press()
    app = AppTest.from_function(parts_script, default_timeout=20).run()
    assert [one.value for one in app.text_input] == ["2 0", "1 0"]
    app.button[0].click().run()
    has_drawn_the_part = app._tree.get_widget_states()
    for widget in has_drawn_the_part.widgets:
        if widget.id.endswith("-drawn"):
            widget.string_value = "1 0"
    app._run(has_drawn_the_part)
    assert app.number_input[0].proto.set_value
    app.run()
    assert (app.number_input[0].value, app.number_input[0].proto.set_value) == (40, False)


def test_a_part_that_is_drawn_in_the_midst_of_its_page_tells_of_no_message():
    hear_each_press()
    app = AppTest.from_function(parts_script, default_timeout=20).run()
    say(app, "7")
    assert [one.value for one in app.text_input] == ["4 0", "3 7"]
