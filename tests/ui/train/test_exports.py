"""Exports on the Train page: what is proven has a button, and everything else a reason."""

from streamlit.testing.v1 import AppTest

from playground.catalog.trained import TrainedTokenizer


def show(expression):
    import streamlit as st

    from playground.bpe.split_pattern import SplitPattern
    from playground.training.corpora import Corpus
    from playground.training.run import RunSettings, TrainingRun
    from playground.ui.train.exports import show_exports

    if "run" not in st.session_state:
        settings = RunSettings(
            vocab_size=270,
            pattern=SplitPattern.parse(expression),
            special_tokens=("<|end|>",),
            held_out_share=0,
        )
        st.session_state.run = TrainingRun(Corpus("Toy", ("the cat sat on the mat\n" * 20,)), settings)
        st.session_state.run.wait()
    show_exports(st.session_state.run, "mine")


def labels(app):
    return [getattr(button, "label", "") for button in app.get("download_button")]


def page(expression):
    app = AppTest.from_function(show, args=(expression,), default_timeout=60).run()
    assert not app.exception
    names = labels(app)
    lines = [item.value.replace("\\", "") for item in app.markdown if "**For " in item.value]
    return app, names, lines


def test_a_known_pattern_is_proven_in_every_format():
    app, names, lines = page("gpt2")
    assert names == [
        "mine.model", "mine.vocab", "mine.tiktoken", "mine.json", "mine.encoder.json", "mine.vocab.bpe",
        "mine.curve.csv",
    ]  # fmt: skip
    libraries = ("minbpe", "tiktoken", "tokenizers", "tokenizers")
    assert all(f": Equal in {library}" in line for line, library in zip(lines, libraries, strict=False))
    assert len(lines) == len(libraries) + 1, "and the curve"
    for line, library in zip(lines, ("minbpe", "tiktoken", "Hugging Face tokenizers", "GPT-2"), strict=False):
        assert line.startswith(f"**For {library}"), "each row names the library that its files are for"
    assert "tiktoken.Encoding(" in app.code[0].value


def test_what_cannot_be_proven_has_a_reason_and_no_button():
    app, names, lines = page(r"\p{L}+")
    assert names == ["mine.json", "mine.encoder.json", "mine.vocab.bpe", "mine.curve.csv"]
    for line in lines[:2]:
        assert "cannot be exported" in line
        assert "leaves out text" in line
    assert not app.code  # there is no .tiktoken file for the program


def test_what_was_made_is_kept(monkeypatch):
    app, names, _ = page("gpt2")
    monkeypatch.setattr(TrainedTokenizer, "export", None)
    assert labels(app.run()) == names
    assert not app.exception


def test_a_run_that_went_on_and_another_name_are_made_anew():
    def show_twice():
        import time

        import streamlit as st

        from playground.bpe.split_pattern import SplitPattern
        from playground.files.proof import Export
        from playground.training.corpora import Corpus
        from playground.training.run import RunSettings, Status, TrainingRun
        from playground.ui.train.exports import _exports

        settings = RunSettings(vocab_size=260, pattern=SplitPattern.named("gpt2"), held_out_share=0)
        run = TrainingRun(Corpus("Toy", ("the cat sat on the mat\n" * 20,)), settings, pause_at=2)
        while run.status is not Status.PAUSED:
            time.sleep(0.01)
        made = [_exports(run, "one")]
        run.resume()
        run.wait()
        made += [_exports(run, "one"), _exports(run, "two")]
        files = [export.files for [(_, export), *_] in made if isinstance(export, Export)]
        st.session_state["found"] = [
            [(name, text.count("\n")) for name, text in one.items()] for one in files
        ]

    app = AppTest.from_function(show_twice, default_timeout=60).run()
    assert not app.exception
    first, later, renamed = app.session_state["found"]
    assert [name for name, _ in renamed] == ["two.model", "two.vocab"]
    assert [name for name, _ in first] == [name for name, _ in later] == ["one.model", "one.vocab"]
    assert [n for _, n in renamed] == [n for _, n in later] == [n + 2 for _, n in first]
