"""Requests of Compare's browser code, their answers, and refusals."""

import io
from dataclasses import asdict
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis import live_document
from playground.analysis.comparison import comparison_rows, count_agreement, cut_text, row_figures
from playground.analysis.live_comparison import LiveComparison
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.tokenizer import replace_lone_surrogates
from playground.server.compare_session import COMPARE_ACTIONS, CompareSession
from tests.analysis.edits import short_texts, texts
from tests.server.browser_side import post, read_columns

NAMES = ["gpt2", "o200k_base", "utf8_bytes"]
TOKENIZERS = [
    *map(get_tokenizer, [*NAMES, "cl100k_base", "characters"]),
    with_own_special_tokens(get_tokenizer("o200k_base"), ("a b", "\n ", "hello world and")),
]
some_tokenizers = st.lists(st.sampled_from(TOKENIZERS), min_size=1, max_size=3, unique_by=id)
NO_FIELDS = {"first", "n_removed", "pieces"}


@pytest.fixture
def session():
    return CompareSession(LiveComparison("", TOKENIZERS[:3]))


class Browser:
    """A browser like `compare.js`: it stores the pieces of each row, and sends edits of its text."""

    def __init__(self, session):
        self.session = session
        self.text = session.text
        self.open()

    def open(self):
        self.rows = []
        self.take(COMPARE_ACTIONS["open"].answer(self.session, text=self.text))

    def edit(self, start, n_deleted, inserted):
        """Edit at UTF-16 units of the browser's text, which may have lone surrogates."""
        answer = COMPARE_ACTIONS["edit"].answer(
            self.session, version=self.version, start=start, n_deleted=n_deleted, inserted=inserted
        )
        units = self.text.encode("utf-16-le", "surrogatepass")
        inserted = inserted.encode("utf-16-le", "surrogatepass")
        edited = units[: 2 * start] + inserted + units[2 * (start + n_deleted) :]
        self.text = edited.decode("utf-16-le", "surrogatepass")
        self.take(answer)

    def take(self, answer):
        header, columns = read_columns(bytes(answer.body))
        self.version, self.agreement = header["version"], header["agreement"]
        self.rows = self.rows or [[] for _ in header["rows"]]
        self.figures = [{name: row[name] for name in row if name not in NO_FIELDS} for row in header["rows"]]
        for number, (held, row) in enumerate(zip(self.rows, header["rows"], strict=True)):
            ids, lengths = columns[3 * number : 3 * number + 2]
            ends = np.cumsum([n_tokens for n_tokens, _, _ in row["pieces"]], dtype=int)
            pieces = [
                (one.tolist(), other.tolist(), n_units)
                for one, other, (_, n_units, _) in zip(
                    np.split(ids, ends), np.split(lengths, ends), row["pieces"], strict=False
                )
            ]
            assert row["first"] + row["n_removed"] <= len(held)
            held[row["first"] : row["first"] + row["n_removed"]] = pieces
        return header

    def check(self, tokenizers):
        """Compare everything stored with an answer for the whole text."""
        text = replace_lone_surrogates(self.text)
        assert self.session.text == text
        cuts = [cut_text(tokenizer, text) for tokenizer in tokenizers]
        for held, tokenizer in zip(self.rows, tokenizers, strict=True):
            encoding = tokenizer.encode(text)
            assert [token_id for ids, _, _ in held for token_id in ids] == encoding
            assert [n for _, lengths, _ in held for n in lengths] == encoding.lengths.tolist()
            units, start = self.text.encode("utf-16-le", "surrogatepass"), 0
            for _, lengths, n_units in held:
                piece = units[2 * start : 2 * (start + n_units)].decode("utf-16-le", "surrogatepass")
                assert sum(lengths) == len(replace_lone_surrogates(piece).encode())
                start += n_units
            assert 2 * start == len(units)
        assert self.figures == [row_figures(row) for row in comparison_rows(text, cuts)]
        assert self.agreement == asdict(count_agreement(cuts))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_after_any_edits_a_browser_holds_the_answer_made_from_scratch(data):
    with patch.object(live_document, "PIECE_CHARS", data.draw(st.sampled_from([1, 5, 1_000]))):
        tokenizers = data.draw(some_tokenizers)
        session = CompareSession(LiveComparison(data.draw(texts), tokenizers))
        browser = Browser(session)
        browser.check(tokenizers)
        for _ in range(data.draw(st.integers(1, 5))):
            match data.draw(st.sampled_from(["edit", "edit", "edit", "tokenizers", "page's text"])):
                case "tokenizers":
                    tokenizers = data.draw(some_tokenizers)
                    session.use(tokenizers)
                    browser.open()
                case "page's text":
                    session.set_text(data.draw(texts))
                    browser.text = session.given
                    browser.open()
                case _:  # a browser never cuts a character in two
                    n_characters = len(browser.text)
                    start = data.draw(st.integers(0, n_characters))
                    stop = min(n_characters, start + data.draw(st.sampled_from([0, 0, 1, 3, n_characters])))
                    inserted = data.draw(short_texts | texts | st.sampled_from(["\ud83d", "\ude00", ""]))
                    before = len(browser.text[:start].encode("utf-16-le", "surrogatepass")) // 2
                    deleted = len(browser.text[start:stop].encode("utf-16-le", "surrogatepass")) // 2
                    joined = (
                        f"{browser.text[max(start - 1, 0) : start]}{inserted}{browser.text[stop : stop + 1]}"
                    )
                    if any(map(_is_pair_of_halves, joined, joined[1:])):
                        continue  # then it sends both halves as one character
                    browser.edit(before, deleted, inserted)
            browser.check(tokenizers)


def _is_pair_of_halves(one, other):
    return "\ud800" <= one < "\udc00" <= other < "\ue000"


@pytest.mark.parametrize("text", ["", "Hello 안녕하세요 👋", "a\r\nb"])
def test_an_answer_has_the_ids_of_every_tokenizer(session, text):
    header, _ = read_columns(post(session, "open", {"text": ""}).content)
    body = {"version": header["version"], "start": 0, "n_deleted": 0, "inserted": text}
    answer = post(session, "edit", body)
    assert answer.status_code == 200
    header, columns = read_columns(answer.content)
    for number, (name, row) in enumerate(zip(NAMES, header["rows"], strict=True)):
        assert columns[3 * number].tolist() == get_tokenizer(name).encode(text)
        assert row["tokenizer_name"] == name
    assert session.text == text
    version = session.version
    for opened in (text, "another"):
        header, columns = read_columns(post(session, "open", {"text": opened}).content)
        assert columns[0].tolist() == get_tokenizer("gpt2").encode(opened)
        assert (session.text, header["version"] == version) == (opened, opened == text)


def test_the_csv_has_the_figures_of_each_row(session):
    session.use([with_own_special_tokens(get_tokenizer("gpt2"), ("a, b",)), *TOKENIZERS[1:3]])
    session.set_text("Hello 안녕하세요")
    table = pd.read_csv(io.StringIO(post(session, "csv", {}).json()["csv"]))
    assert table.to_dict("records") == [row_figures(row) for row in session.rows()]
    session.set_text("")
    table = pd.read_csv(io.StringIO(post(session, "csv", {}).json()["csv"]))
    assert list(table["n_tokens"]) == [0, 0, 0]


def test_an_edit_of_an_older_text_is_refused(session):
    versions = [session.comparison.version]
    for change in (
        lambda: session.set_text("a text of the page"),
        lambda: session.use(TOKENIZERS[:2]),
        lambda: post(
            session, "edit", {"version": versions[-1], "start": 0, "n_deleted": 1, "inserted": "the"}
        ),
    ):
        change()
        versions.append(session.comparison.version)
    assert versions == sorted(set(versions))
    text = session.text
    for version in versions[:-1]:
        answer = post(session, "edit", {"version": version, "start": 0, "n_deleted": 9_999, "inserted": "x"})
        assert answer.status_code == 409
        assert (
            answer.json()["error"] == f"the text is at version {versions[-1]}, the edit was made to {version}"
        )
    assert session.text == text


def test_bad_requests_are_refused_and_the_text_stays(session, monkeypatch):
    session.set_text("kept")
    edit = {"version": session.comparison.version, "start": 0, "n_deleted": 0, "inserted": "x"}
    for number in ("9" * 5_000, 1.5, -1, True, None, 10**400):
        for name in ("version", "start", "n_deleted"):
            assert post(session, "edit", edit | {name: number}).status_code == 400
    for body in ({"text": "x"}, edit | {"more": 1}, edit | {"inserted": 1}, edit | {"start": 5}):
        assert post(session, "edit", body).status_code == 400
    monkeypatch.setattr(live_document, "MAX_TEXT_BYTES", 10)
    answer = post(session, "edit", edit | {"inserted": "x" * 7})
    assert answer.status_code == 413
    assert "11 bytes; this page takes up to 10" in answer.json()["error"]
    assert session.text == "kept"
    assert post(session, "edit", edit).status_code == 200


def test_revisions_distinguish_a_new_text_from_new_tokenizers(session):
    before = (session.revision, session.text_revision)
    session.use(list(session.tokenizers))
    assert (session.revision, session.text_revision) == before
    session.use([get_tokenizer("gpt2")])
    assert (session.revision, session.text_revision) == (before[0] + 1, before[1])
    session.set_text("new")
    assert (session.revision, session.text_revision, session.given) == (before[0] + 1, before[1] + 1, "new")
    assert [row.n_tokens for row in session.rows()] == [1]
    session.use([TrainedTokenizer("gpt2", BpeModel(SplitPattern.named("gpt2"), ()))])
    assert [row.n_tokens for row in session.rows()] == [3], "another of the same name is another"
