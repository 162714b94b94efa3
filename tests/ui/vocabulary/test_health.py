"""Health on the Vocabulary page: each finding is counted, and a token opens with its tree."""

import pytest

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.ui.vocabulary import health
from playground.workers.process import CancelledError
from tests.ui.visits import html_of, visit
from tests.waiting import run_until

#: "ab" merges before "bc", so no text gives "abc" (258), nor "abcd" (259), which is merged from it.
LOSSY = TrainedTokenizer(
    "lossy",
    BpeModel(SplitPattern.named("none"), ((97, 98, 256), (98, 99, 257), (97, 257, 258), (258, 100, 259))),
)
COUNTS = {"Unreachable": 2, "Partial UTF-8": 128}


def open_health(name, **kept):
    page = visit(
        "vocabulary",
        {
            "keep.trained_tokenizers": {"lossy": LOSSY},
            "keep.tokenizer": [name],
            **kept,
        },
    )
    page.button_group(key="view.vocabulary").set_value("Health").run()
    return run_until(page, lambda: page.error or "health.kind" in {group.key for group in page.radio})


def test_the_kinds_that_were_found_are_counted_with_a_sentence_and_the_others_named():
    page = open_health("lossy")
    assert (
        "260 tokens of lossy were checked. lossy has none of these: glitch tokens, under-trained, duplicates "
        "and special tokens in text." in page.caption[0].value
    )
    kinds = page.radio(key="health.kind")
    assert list(kinds.options) == [f"**{name} · {n}**" for name, n in COUNTS.items()]
    assert "Never produced by the encoder" in kinds.proto.captions[0]
    assert "“abc” and “abcd”" in kinds.proto.captions[0]
    assert page.dataframe[0].value["token"].tolist() == ["abc", "abcd"]
    assert "<code>abc</code> id 258" in html_of(page)
    kinds.set_value("Partial UTF-8").run()
    assert len(page.dataframe[0].value) == 128


def test_glitch_and_under_trained_tokens_of_gpt2_are_found():
    found = health.ids_by_kind(health.ask(health.new_check(), get_tokenizer("gpt2")).result())
    raw_of = get_tokenizer("gpt2").vocabulary.raw_of
    assert raw_of(found["Glitch tokens"][0]) == b" SolidGoldMagikarp"
    assert b" RandomRedditor" in map(raw_of, found["Under-trained"])


def test_a_tokenizer_without_merges_is_checked_and_a_missing_kind_gives_way_to_the_first_one():
    page = open_health("utf8_bytes", **{"health.kind": "Unreachable"})
    assert page.dataframe[0].value["id"].tolist() == [*range(128, 256)]
    assert "<code>⟨80⟩</code> id 128" in html_of(page)


def test_work_that_takes_too_long_is_reported_and_the_page_still_works(monkeypatch):
    monkeypatch.setattr(health, "SECONDS", 0.05)
    page = open_health("gpt2")
    assert "checking every token of gpt2 took more than 0\\.05 s" in page.error[0].value
    monkeypatch.setattr(health, "SECONDS", 60)
    next(button for button in page.button if button.label == "Try again").click().run()
    assert list(page.exception) == []
    assert not page.error


@pytest.mark.parametrize("n_listed", [1, 2])
def test_a_long_list_says_that_it_stops(monkeypatch, n_listed):
    monkeypatch.setattr(health, "MAX_LISTED", n_listed)
    page = open_health("lossy")
    assert len(page.dataframe[0].value) == n_listed
    assert ("Showing the first 1." in " ".join(item.value for item in page.caption)) == (n_listed == 1)


def test_work_on_another_tokenizer_ends_the_previous_work():
    check = health.new_check()
    first = health.ask(check, get_tokenizer("o200k_base"))
    second = health.ask(check, get_tokenizer("python_docs_4k"))
    assert health.ask(check, get_tokenizer("python_docs_4k")) is second
    assert len(second.result().not_utf8) == 131
    assert first.wait(20)
    with pytest.raises(CancelledError):
        first.result()


def test_a_tokenizer_that_was_used_on_every_page_is_asked():
    assert len(LOSSY.vocabulary) == 260
    assert LOSSY.encode("abcd")
    get_tokenizer("gpt2").encode("x")
    assert len(get_tokenizer("gpt2").vocabulary) == 50_257
    page = open_health("lossy")
    assert not page.error
    assert len(health.ask(health.new_check(), get_tokenizer("gpt2")).result().not_utf8) == 344
