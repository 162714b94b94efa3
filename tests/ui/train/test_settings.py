"""The form of settings: what Start reads and refuses."""

import pytest
from streamlit.testing.v1 import AppTest

from playground.bpe import typed_patterns
from playground.server.train.session import TrainSession
from playground.ui.train import view
from tests.ui.train.conftest import CATS, PASTE, TYPED
from tests.ui.visits import APP, ROOT, choose, learned


def test_the_first_visit_starts_a_run_with_the_default_settings(page):
    assert page.session.n_started == 1
    assert page.session.learned_from == "English novel"
    assert page.session.run.settings.vocab_size == 300
    page.app.run()
    assert page.session.n_started == 1


def test_start_reads_what_was_typed_last_and_the_run_may_be_shown_paused(page):
    page.app.selectbox(key="train.corpus").set_value(PASTE).run()
    for text, vocab_size in (("first text", 300), ("second text", 290)):
        special = f"\n<|{text}|>\n\n<|{text}|>\n"
        page.set(
            pasted=text, vocab_size=vocab_size, min_count=1, special=special, held_out=0, starts_paused=True
        )
        run = page.press("Start").finish().session.run
        assert (run.settings.vocab_size, run.settings.special_tokens) == (vocab_size, (f"<|{text}|>",))
        assert (run.training_texts, page.session.starts_paused) == ((text,), True)


@pytest.mark.parametrize("asked", ["boundless", "MinGram"])
def test_an_address_with_an_algorithm_that_is_gone_falls_back_with_a_word(asked, monkeypatch):
    session = TrainSession()
    monkeypatch.setattr(view, "train_session", lambda: session)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page(str(ROOT / "pages/train.py"))
    app.query_params["train.algorithm"] = asked
    app.run()
    assert list(app.exception) == []
    assert "is no longer offered; choose another algorithm" in app.info[0].value
    assert app.selectbox(key="train.algorithm").value == "bpe"
    session.close()


def test_an_address_sets_the_options_of_bpe(monkeypatch):
    session = TrainSession()
    monkeypatch.setattr(view, "train_session", lambda: session)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page(str(ROOT / "pages/train.py"))
    app.query_params["train.ties"] = "lowest-pair"
    app.query_params["train.min_count"] = "3"
    app.run()
    assert list(app.exception) == []
    assert session.run is not None
    assert session.run.settings.options == {"ties": "lowest-pair", "min_count": 3}
    session.close()


def test_continue_starts_from_a_kept_tokenizer_and_refuses_one_without_merges(page):
    page.app.session_state["keep.picker"].add(learned("mine", "the cat"))
    page.app.selectbox(key="train.algorithm").set_value("continue").run()
    choose(page.app, "bert_uncased", picker="train.base")
    page.learn(CATS, vocab_size=258, held_out=0)
    [error] = page.errors
    assert "bert_uncased has no merges of bytes; choose byte-level BPE" in error
    assert page.session.n_started == 1
    choose(page.app, "mine", picker="train.base")
    page.learn(CATS, vocab_size=258, held_out=0)
    settings = page.session.run.settings
    assert (settings.base.name, settings.pattern.name) == ("mine", "gpt2")
    assert page.session.title.startswith("2 · Continue · mine · ")
    assert page.session.run.n_steps == 2


def test_the_size_can_be_a_number_of_merges(page):
    page.set(vocab_size=60, size_by="Merges").press("Start")
    assert page.session.run.settings.vocab_size == 316


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"vocab_size": 256}, "choose 257 to 1,048,576"),
        ({"vocab_size": (1 << 20) + 1}, "choose 257 to 1,048,576"),
        ({"vocab_size": 0, "size_by": "Merges"}, "0 merges cannot be learned; choose 1 to 1,048,320"),
        ({"pasted": ""}, "the text is empty"),
    ],
)
def test_start_refuses_invalid_settings_with_the_reason_until_they_are_valid(page, values, problem):
    page.app.selectbox(key="train.corpus").set_value(PASTE).run()
    n_started = page.session.n_started
    assert problem in page.set(**values).press("Start").errors[0]
    page.app.run()
    assert problem in page.errors[0]
    assert page.session.n_started == n_started
    page.set(vocab_size=300, pasted="abab", size_by="Vocabulary size").press("Start")
    assert (page.errors, page.session.n_started) == ([], n_started + 1)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [("(", "does not compile"), (r"\w*", "matches the empty text"), ("(a|aa)+$", "takes too long")],
)
def test_an_invalid_pattern_is_refused_and_stays_in_its_field(page, expression, problem, monkeypatch):
    monkeypatch.setattr(typed_patterns, "MAX_SECONDS", 0.2)
    page.app.selectbox(key="train.pattern").set_value(TYPED).run()
    assert problem in page.set(typed_pattern=expression).press("Start").errors[0]
    assert page.app.text_input(key="train.typed_pattern").value == expression


def test_an_empty_pattern_cuts_nothing(page):
    page.app.selectbox(key="train.pattern").set_value(TYPED).run()
    page.set(typed_pattern="").press("Start")
    assert page.session.run.settings.pattern.is_none


def test_an_algorithm_for_languages_offers_their_corpus_whose_languages_are_weighted(page):
    page.app.selectbox(key="train.algorithm").set_value("parity").run()
    page.press("Use many languages")
    assert page.app.selectbox(key="train.corpus").value == "Many languages: human rights"
    page.app.selectbox(key="train.algorithm").set_value("bpe").run()
    page.app.multiselect(key="train.languages").set_value([]).run()
    assert "no language is chosen" in page.press("Start").errors[0]
    page.app.multiselect(key="train.languages").set_value(["Korean", "English"]).run()
    run = page.set(**{"weight.Korean": 3}).press("Start").finish().session.run
    texts = (*run.training_texts, *run.held_out_texts)
    assert sum(text.count("모든 인간은") for text in texts) == 3


def test_the_calculator_uses_the_size_that_was_learned_and_the_chosen_model(page):
    def cost():
        return next(text for text in (item.value for item in page.app.markdown) if "parameters" in text)

    page.learn("aaabdaaabac", vocab_size=1_000, min_count=1)
    n_rows = 256 + page.session.run.n_steps
    assert cost().startswith(f"The run ended with a vocabulary of {n_rows:,}. {n_rows:,} rows × 768")
    page.app.selectbox(key="train.model").set_value("own").run()
    page.set(model_width=64, model_others=0, model_tied=False).app.run()
    assert f"{n_rows:,} rows × 64 × two matrices = **{n_rows * 128:,}** parameters, **100.0 %**" in cost()
    page.set(model_others=1).app.run()
    assert f"**{100 * n_rows * 128 / (n_rows * 128 + 1_000_000):.1f} %**" in cost()
    page.set(vocab_size=9).press("Start")
    assert not any("parameters" in item.value for item in page.app.markdown), "it is refused"
