"""Any config beside a tokenizer is refused in a sentence, or its chats are consistent."""

from hypothesis import given, settings

from tests.analysis.any_template import mutated_configs, open_and_chat


@given(mutated_configs())
@settings(max_examples=40, deadline=None)
def test_any_config(files):
    open_and_chat(files)
