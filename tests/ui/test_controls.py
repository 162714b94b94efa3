from playground.ui import controls


def test_a_comparison_opens_with_the_last_trained_or_the_bundled_tokenizer(monkeypatch):
    trained: dict[str, object] = {}
    monkeypatch.setattr("playground.ui.state.trained_tokenizers", lambda: trained)
    assert controls.default_tokenizers() == ["gpt2", "cl100k_base", "python_docs_4k"]
    trained |= {"first": object(), "last": object()}
    assert controls.default_tokenizers() == ["gpt2", "cl100k_base", "last"]
