"""The Compare page: languages, the visitor's corpus, and the choice of tokenizers."""

import gzip
import json
from html import escape
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest

from playground.analysis.examples import COMPARE_EXAMPLES
from playground.analysis.language_counts import article_text
from playground.catalog.registry import get_tokenizer
from playground.catalog.word_table import WordTableTokenizer, learn_table
from playground.core.errors import LimitExceededError
from playground.drift.search import find_difference
from playground.ui.compare.corpus import CorpusCount
from playground.workers.process import CancelledError
from tests.ui.visits import choose, html_of, learned, visit
from tests.waiting import run_until

NAME = "my__own"
SMALL = get_tokenizer("python_docs_4k")


@pytest.fixture(scope="module")
def own():
    return learned(NAME, "the cat sat on the mat in the bath\n" * 9, vocab_size=270)


def test_each_article_is_counted_in_each_tokenizer_anew(own):
    page = visit(
        "compare",
        {
            "keep.trained_tokenizers": {NAME: own},
            "keep.tokenizers": [NAME, "python_docs_4k"],
            "view.compare": "Languages",
        },
    )
    for article, number in (("article 1", 1), ("article 30", 30), ("all 30 articles", None)):
        page.selectbox(key="compare.article").set_value(article).run()
        table = page.dataframe[0].value.set_index("language")
        for language, code in (("English", "eng"), ("Korean", "kor")):
            text = article_text(code, number)
            assert table[NAME][language] == len(own.encode(text))
            assert table["python_docs_4k"][language] == len(SMALL.encode(text))
        assert table[f"{NAME} × English"].is_monotonic_decreasing
    choose(page, ["python_docs_4k", NAME], picker="tokenizers")
    table = page.dataframe[0].value
    assert list(table.columns[[1, 3]]) == ["python_docs_4k", NAME]
    assert table["python_docs_4k × English"].is_monotonic_decreasing
    assert not table[f"{NAME} × English"].is_monotonic_decreasing


def test_a_tokenizer_that_loses_all_text_is_reported_and_the_others_are_drawn():
    table = WordTableTokenizer(NAME, learn_table(["안녕"], "words"))
    kept = {"keep.trained_tokenizers": {NAME: table}, "keep.tokenizers": [NAME, "gpt2"]}
    page = visit("compare", {**kept, "view.compare": "Languages"})
    said = [caption.value for caption in page.caption]
    assert any(caption.startswith("my\\_\\_own loses text in 39 of 39 languages") for caption in said)
    assert page.dataframe[0].value["gpt2"].sum() > 0


def test_one_tokenizer_is_shown_alone_and_with_none_the_text_is_kept():
    page = visit("compare", {"keep.tokenizers": ["gpt2", "utf8_bytes"]})
    text = page.session_state["keep.compare"].text
    choose(page, ["utf8_bytes"], picker="tokenizers")
    assert [info.value for info in page.info] == ["Choose a second tokenizer to compare with; up to 6 fit."]
    assert is_shown(page)
    for view, said in (("Languages", 1), ("My corpus", 2)):
        page.button_group(key="view.compare").set_value(view).run()
        assert list(page.exception) == []
        assert len(page.info) == said
    choose(page, [], picker="tokenizers")
    assert page.info[0].value == "Choose at least 2 tokenizers, up to 6. Your text is kept."
    assert not is_shown(page)
    choose(page, ["gpt2"], picker="tokenizers")
    assert page.session_state["keep.compare"].text == text
    assert list(page.exception) == []


def is_shown(page):
    """Whether the text stands there with its tokens."""
    return any("compare_view" in str(part.proto) for part in page.get("bidi_component"))


def corpus_page(tmp_path, name, raw):
    page = visit("compare", {"keep.tokenizers": ["gpt2", "python_docs_4k"], "view.compare": "My corpus"})
    assert "Choose a file" in page.info[0].value
    assert "only until you reload or leave this page" in page.info[0].value
    page.file_uploader(key="compare-file").set_value([(name, raw, "")]).run()
    return counted_page(page)


def counted_page(page):
    return run_until(page, lambda: not page.get("progress"))


def test_an_own_corpus_is_counted_for_each_tokenizer(tmp_path):
    rows = ["to be or not to be", "def f(x): return x"]
    raw = "".join(json.dumps({"id": "a", "body": row}) + "\n" for row in rows).encode()
    page = corpus_page(tmp_path, "rows.jsonl", raw)
    assert not page.error
    assert page.info[0].value == "Choose the field with the text to count its tokens."
    field = page.selectbox(key="compare.field")
    assert field.options == ["Choose a field", "id", "body", "The whole file, as text"]
    field.set_value("body").run()
    counted_page(page)
    assert page.selectbox(key="compare.field").options == ["id", "body", "The whole file, as text"]
    table = page.dataframe[0].value.set_index("tokenizer")
    for tokenizer in (get_tokenizer("gpt2"), SMALL):
        n_tokens = sum(len(tokenizer.encode(row)) for row in rows)
        assert table["tokens"][tokenizer.name] == n_tokens
        assert table["bytes per token"][tokenizer.name] == pytest.approx(36 / n_tokens)
    assert table["tokens"].is_monotonic_increasing
    assert table["× the fewest"].iloc[0] == 1
    assert page.caption[-1].value.endswith("jsonl: 36 bytes and 36 characters of text in 2 documents.")


def test_the_messages_of_chats_are_counted(tmp_path):
    chat = {"messages": [{"role": "user", "content": "to be"}, {"role": "assistant", "content": "or not"}]}
    page = corpus_page(tmp_path, "chats.jsonl", json.dumps(chat).encode())
    field = page.selectbox(key="compare.field")
    assert field.options[1:3] == ["messages[].role", "messages[].content"]
    field.set_value("messages[].content").run()
    counted_page(page)
    assert page.caption[-1].value.endswith("jsonl: 11 bytes and 11 characters of text in 2 documents.")


@pytest.mark.parametrize(("header", "chosen"), [("id,text", "text"), ("body", "body")])
def test_an_unambiguous_field_is_chosen_without_asking(header, chosen, tmp_path):
    page = corpus_page(tmp_path, "rows.csv", f"{header}\nto be,or not\n".encode())
    assert page.selectbox(key="compare.field").value == chosen
    assert page.dataframe


def test_a_file_of_rows_can_be_counted_as_it_is(tmp_path):
    """A CSV without a header has its first row as fields; and some want to know what the syntax costs."""
    raw = b"17,to be\n18,or not\n"
    page = corpus_page(tmp_path, "rows.csv", raw)
    field = page.selectbox(key="compare.field")
    assert field.options == ["Choose a field", "17", "to be", "The whole file, as text"]
    field.set_value("The whole file, as text").run()
    counted_page(page)
    table = page.dataframe[0].value.set_index("tokenizer")
    assert table["tokens"]["gpt2"] == len(get_tokenizer("gpt2").encode(raw.decode()))
    assert page.caption[-1].value.endswith("csv: 19 bytes and 19 characters of text in 1 document.")


def test_a_field_may_be_called_as_the_choice_of_the_whole_file_is(tmp_path):
    page = corpus_page(tmp_path, "rows.csv", b'"The whole file, as text"\nto be\n')
    assert page.selectbox(key="compare.field").options == ["The whole file, as text"]
    assert page.caption[-1].value.endswith("csv: 5 bytes and 5 characters of text in 1 document.")


def test_an_error_in_a_file_of_rows_is_reported_by_its_count(tmp_path):
    page = corpus_page(tmp_path, "rows.jsonl", b'{"text": \n')
    assert "rows.jsonl: line 1 is not JSON" in page.error[0].value.replace("\\", "")
    assert not any(button.label == "Count again" for button in page.button), "it would say the same"


@pytest.mark.parametrize(
    ("name", "raw"),
    [("a.txt", b""), ("a.jsonl", b""), ("a.txt.gz", gzip.compress(b"", mtime=0)), ("a.csv", b"text\n")],
)
def test_a_file_without_text_is_reported(name, raw, tmp_path):
    page = corpus_page(tmp_path, name, raw)
    assert page.info[-1].value.replace("\\", "") == f"{name} contains no text."
    assert not page.dataframe
    assert list(page.exception) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "a.jsonl",
            "Choose the whole file (none of its fields has text) to count its tokens.",
        ),
        ("a.parquet", "No column of this file contains text."),
    ],
)
def test_a_file_of_rows_without_a_text_field_is_reported(name, said, tmp_path):
    rows = pd.DataFrame({"n": [1, 2]})
    raw = (
        rows.to_parquet() if name.endswith("parquet") else rows.to_json(orient="records", lines=True).encode()
    )
    page = corpus_page(tmp_path, name, raw)
    assert page.info[0].value == said
    assert list(page.error) == []


def test_a_file_whose_fields_cannot_be_read_is_counted_once(tmp_path, monkeypatch):
    """Each run of the page read it anew, and so ended the count in hand."""
    n_counts = 0

    def counts(*_arguments, **_named):
        nonlocal n_counts
        n_counts += 1
        raise LimitExceededError("takes too long")

    monkeypatch.setattr("playground.ui.compare.corpus.count_upload", counts)
    page = corpus_page(tmp_path, "rows.jsonl", b'{"text": \n')
    page.run()
    page.run()
    assert n_counts == 1
    next(button for button in page.button if button.label == "Count again").click().run()
    assert n_counts == 2


def test_a_corpus_over_the_limit_is_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("playground.ui.compare.corpus.MAX_UPLOAD_MB", 1)
    page = corpus_page(tmp_path, "a.txt", b"to be " * 170_000)
    assert "has 1,020,000 bytes; the limit is 1,000,000" in page.error[0].value


def test_a_stopped_count_stays_stopped_until_it_is_asked_for(monkeypatch):
    def waits(*arguments, cancelled, **options):
        assert cancelled.wait(30)
        raise CancelledError

    monkeypatch.setattr("playground.ui.compare.corpus.count_upload", waits)
    count = CorpusCount()
    file = SimpleNamespace(file_id="1", name="a.txt", getvalue=lambda: b"to be " * 1_000)
    work = count.ask(cast(Any, file), "", [SMALL])
    count.stop()
    assert count.ask(cast(Any, file), "", [SMALL]) is work
    with pytest.raises(CancelledError):
        work.result()
    monkeypatch.undo()
    count.end()
    again = count.ask(cast(Any, file), "", [SMALL])
    assert again is not work
    assert again.result().tokens == (len(SMALL.encode("to be " * 1_000)),)
    assert count.ask(cast(Any, file), "", [SMALL, SMALL]) is not again
    count.end()


def test_the_name_of_an_upload_opens_nothing(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise AssertionError(arguments)

    monkeypatch.setattr("playground.corpora.sources.files_at", refuse)
    monkeypatch.setattr("glob.glob", refuse)
    page = corpus_page(tmp_path, "s3://bucket/*.txt", b"to be")
    assert page.dataframe[0].value["tokens"].tolist() == sorted(
        len(tokenizer.encode("to be")) for tokenizer in (get_tokenizer("gpt2"), SMALL)
    )


def test_the_report_has_a_column_for_each_tokenizer_and_prices_the_text(own):
    page = visit(
        "compare",
        {
            "keep.trained_tokenizers": {NAME: own},
            "keep.tokenizers": [NAME, "python_docs_4k"],
            "view.compare": "Report",
        },
    )
    run_until(page, lambda: page.dataframe)
    assert list(page.dataframe[0].value.columns) == ["figure", NAME, "python_docs_4k"]
    page.number_input(key="report.price").set_value(4000.0).run()
    table = page.dataframe[0].value.set_index("figure")
    n_tokens = len(SMALL.encode(COMPARE_EXAMPLES[0].text))
    assert table["python_docs_4k"]["Spend"].startswith(f"${n_tokens * 4000 / 1e6:.3f}")
    page.number_input(key="report.price").set_value(0.0).run()
    assert page.dataframe[0].value.set_index("figure")["python_docs_4k"]["Spend"] == "$0.000000"


def test_the_shortest_difference_of_any_two_of_the_tokenizers_is_drawn_with_the_step(own):
    page = visit(
        "compare",
        {
            "keep.trained_tokenizers": {NAME: own},
            "keep.tokenizers": [NAME, "python_docs_4k", "gpt2"],
            "view.compare": "Difference",
        },
    )

    def shown(one, other):
        search = find_difference(one, other)
        assert search.difference is not None
        run_until(page, lambda: escape(search.sentence) in html_of(page))
        assert f"<b>Step: {search.difference.step}.</b>" in html_of(page)

    shown(own, SMALL)
    page.selectbox(key="difference.one").set_value("gpt2").run()
    shown(get_tokenizer("gpt2"), SMALL)
    page.selectbox(key="difference.other").set_value("gpt2").run()
    assert "Choose two different tokenizers." in [caption.value for caption in page.caption]
    choose(page, [NAME, "python_docs_4k", "utf8_bytes"], picker="tokenizers")
    choose(page, [NAME, "gpt2"], picker="tokenizers")
    assert not page.selectbox
    shown(own, get_tokenizer("gpt2"))
    choose(page, ["gpt2", "r50k_base"], picker="tokenizers")
    run_until(page, lambda: "Equal by definition" in html_of(page))
    choose(page, ["gpt2"], picker="tokenizers")
    assert "Choose a second tokenizer at the top of the page." in [caption.value for caption in page.caption]
    assert not [button for button in page.button if button.label == "Put this text into the text field"]
