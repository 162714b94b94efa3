"""The pickers of tokenizers."""

import pytest
from streamlit.testing.v1 import AppTest

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import tokenizer_of
from playground.ui import controls


def test_a_comparison_opens_with_the_last_trained_or_the_bundled_tokenizer(monkeypatch):
    trained: dict[str, object] = {}
    monkeypatch.setattr("playground.ui.state.trained_tokenizers", lambda: trained)
    assert controls.default_tokenizers() == ["gpt2", "cl100k_base", "python_docs_4k"]
    trained |= {"first": object(), "last": object()}
    assert controls.default_tokenizers() == ["gpt2", "cl100k_base", "last"]


@pytest.mark.parametrize(
    ("typed", "meant", "problem"),
    [
        ("mine__", "Mine__A", ""),
        ("DOCS_4K", "python_docs_4k", ""),
        ("gpt-4o-2024-05-13", "o200k_base", ""),
        ("<b>__no__", "gpt2", "'\\<b\\>\\_\\_no\\_\\_'"),
        ("x" * 10_000, "gpt2", "gpt2"),
    ],
)
def test_a_name_may_be_typed_in_part_and_an_unknown_one_is_told_as_text(typed, meant, problem):
    def pick(typed):
        import streamlit as st

        from playground.ui import controls, state
        from tests.ui.visits import learned

        state.trained_tokenizers()["Mine__A"] = learned("Mine__A", "a b", vocab_size=257)
        state.Field("tokenizer.x", "").put(typed)
        st.session_state["chosen"] = controls.choose_tokenizer("x", default="gpt2").name

    app = AppTest.from_function(pick, args=(typed,), default_timeout=60).run()
    assert list(app.exception) == []
    assert app.session_state["chosen"] == meant
    assert [problem in error.value for error in app.error] == ([True] if problem else [])


@pytest.mark.parametrize(
    ("typed", "chosen", "told"),
    [
        ("o200", "o200k_base", ""),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13", ""),
        ("nothing", "whisper", "called 'nothing'"),
        ("claude", "whisper", "publishes no vocabulary"),
    ],
)
def test_what_is_typed_becomes_what_it_means_and_a_refused_name_goes_away(typed, chosen, told, monkeypatch):
    def pick():
        from playground.ui import controls

        controls.choose_tokenizer("tokenize", default="gpt2")

    app = AppTest.from_function(pick, default_timeout=60).run()
    app.selectbox[0].set_value("whisper").run()
    with monkeypatch.context() as patch:  # Streamlit's test runner sends options alone
        patch.setattr(type(app.selectbox[0]), "index", 0)
        app.selectbox[0].options.insert(0, typed)
        app.run()
    assert app.selectbox[0].value == chosen
    assert app.session_state["tokenizer.latest"] == chosen
    assert [told in line.value for line in app.error] == ([True] if told else [])
    app.run()
    assert [told in line.value for line in app.error] == ([True] if told else []), "this run is a page's own"
    monkeypatch.setattr(controls, "_TOLD_SECONDS", 0.0)
    app.run()
    assert app.selectbox[0].value == chosen
    assert not app.error, "it is told until the next action"
    assert not app.caption


def test_a_model_that_does_not_ship_changes_nothing_and_one_line_says_how_to_open_it():
    def pick():
        import streamlit as st

        from playground.ui import controls, state

        state.Field("tokenizer.x", "").put(st.session_state.get("typed", "whisper"))
        st.session_state["chosen"] = controls.choose_tokenizer("x", default="gpt2").name

    app = AppTest.from_function(pick, default_timeout=60).run()
    assert app.session_state["chosen"] == "whisper"
    assert not app.caption
    app.session_state["typed"] = "llama 3"
    app.run()
    assert app.session_state["chosen"] == "whisper"
    (line,) = app.caption
    assert "beside the model" in line.value
    assert not app.error


def test_what_is_wrong_with_a_choice_is_told_where_the_page_says():
    def pick():
        import streamlit as st

        from playground.ui import controls, state

        state.Field("tokenizer.x", "").put("cl10k_base")
        bar, told = st.container(key="bar"), st.container(key="told")
        with bar:
            st.session_state["chosen"] = controls.choose_tokenizer("x", default="gpt2", told=told).name
            controls.choose_tokenizers("y", default=["gpt2"], n_min=2, n_max=4, told=told)

    app = AppTest.from_function(pick, default_timeout=60).run()
    assert app.session_state["chosen"] == "gpt2"
    bar, told = app.main.children.values()
    assert not bar.get("error")
    assert not bar.get("info")
    assert len(told.get("error")) == len(told.get("info")) == 1
    assert "Did you mean cl100k" in app.error[0].value
    assert "A second tokenizer makes the comparison" in app.info[0].value


@pytest.mark.parametrize(
    ("typed", "chosen", "told"),
    [
        (["gpt2", "Qwen2.5-Coder-7B"], ["gpt2", "qwen3"], ""),
        (["gpt2", "gpt-4o", "o200k_base"], ["gpt2", "o200k_base"], ""),
        (["gpt2", "llama 3"], ["gpt2"], "open the tokenizer.json that lies beside the model"),
        (["gpt2", "gemma 3"], ["gpt2"], "open the tokenizer.json that lies beside the model"),
        (["gpt2", "claude"], ["gpt2"], "publishes no vocabulary"),
        (["gpt2", "nothing"], ["gpt2"], "called 'nothing'. Choose one of the list, type a model"),
    ],
)
def test_a_model_that_is_typed_into_a_picker_of_several_is_its_encoding_or_is_told_of(
    typed, chosen, told, monkeypatch
):
    def pick():
        import streamlit as st

        from playground.ui import controls

        several = controls.choose_tokenizers("y", default=["gpt2"], n_min=1, n_max=6)
        st.session_state["chosen"] = [tokenizer.name for tokenizer in several]

    app = AppTest.from_function(pick, default_timeout=60).run()
    app.multiselect[0].set_value(typed).run()
    assert app.session_state["chosen"] == app.multiselect[0].value == chosen
    assert [told in line.value.replace("\\", "") for line in app.caption] == ([True] if told else [])
    app.run()
    assert [told in line.value.replace("\\", "") for line in app.caption] == ([True] if told else [])
    monkeypatch.setattr(controls, "_TOLD_SECONDS", 0.0)
    app.run()
    assert not app.caption, "it is told until the next action"
    app.multiselect[0].set_value(["gpt2", "whisper"]).run()
    assert app.session_state["chosen"] == ["gpt2", "whisper"]
    assert not app.caption


def test_a_picker_says_what_an_opened_file_holds():
    def pick():
        from playground.bpe.model import BpeModel
        from playground.bpe.split_pattern import SplitPattern
        from playground.catalog.opened import tokenizer_of
        from playground.files.library_file import LibraryFile
        from playground.ui import controls
        from playground.ui.kept_tokenizers import keep_tokenizer

        keep_tokenizer(tokenizer_of("mine", LibraryFile.of("vocab.txt", b"[UNK]\nthe\n")))
        merges = BpeModel(SplitPattern.named("gpt2"), ((97, 98, 256), (98, 97, 257)), {"<|end|>": 258})
        keep_tokenizer(tokenizer_of("merged", merges))
        controls.choose_tokenizer("x", default="gpt2")
        controls.choose_tokenizers("y", default=["gpt2", "mine"], n_min=1, n_max=6)

    app = AppTest.from_function(pick, default_timeout=60).run()
    options, several = app.selectbox[0].options, app.multiselect[0].options
    assert options[0].startswith("mine · WordPiece, lower case without accents · 2 tokens")
    assert options[1:3] == [
        "merged · byte-level BPE · 259 tokens",
        "gpt2 · GPT-2 · byte-level BPE · 50,257 tokens · modified MIT",
    ]
    assert "gpt-4o-mini → o200k_base" in options or "gpt-4o → o200k_base" in options
    assert several == [option.replace(" · ", "\n", 1) for option in options if " → " not in option]


def test_a_file_that_is_opened_while_a_picker_of_several_changes_stays_in_it():
    """The change is heard by what the run before drew, which did not know of the file."""

    def pick():
        import streamlit as st

        from playground.ui import controls

        several = controls.choose_tokenizers("y", default=["gpt2", "whisper"], n_min=1, n_max=6)
        st.session_state["chosen"] = [tokenizer.name for tokenizer in several]

    app = AppTest.from_function(pick, default_timeout=60).run()
    mine = tokenizer_of("mine", BpeModel(SplitPattern.named("gpt2"), ()))
    app.session_state["keep.trained_tokenizers"] = {"mine": mine}
    label = f"mine\n{mine.about}"  # which the browser was told by a run that was ended
    app.multiselect[0].set_value(["gpt2", label]).run()
    assert app.session_state["chosen"] == ["gpt2", "mine"]
    assert not app.caption
