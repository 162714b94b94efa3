from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.core.errors import TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates
from playground.server.compare_session import CompareSession
from tests.analysis.texts import texts
from tests.server.browser_side import post, read_columns

NAMES = ["gpt2", "o200k_base", "utf8_bytes"]


@pytest.fixture
def session():
    session = CompareSession("")
    session.use([get_tokenizer(name) for name in NAMES])
    return session


def rows(session, text, *, held=None):
    return post(session, "rows", {"text": text, "held": held})


def unpack(
    content: bytes, before: tuple[dict[str, Any], list[Any]] | None = None
) -> tuple[dict[str, Any], list[Any]]:
    """What the browser's `fetchRows` makes of an answer."""
    header, sent = read_columns(content)
    columns = []
    for number, row in enumerate(header["rows"]):
        n_before, n_after = row["n_before"], row["n_after"]
        own = []
        for column, shift in ((0, 0), (1, header["shift"])):
            fresh = sent[2 * number + column]
            assert len(fresh) == row["n_tokens"] - n_before - n_after
            old = before[1][number][column] if before else fresh[:0]
            end = old[len(old) - n_after :] + np.uint32(shift % 2**32)
            own.append(np.concatenate([old[:n_before], fresh, end]))
        columns.append(tuple(own))
    return header, columns


@pytest.mark.parametrize("text", ["", "Hello 안녕하세요 👋", "a\r\nb"])
def test_an_answer_has_the_ids_of_every_tokenizer(session, text):
    answer = rows(session, text)
    assert answer.status_code == 200
    header, columns = unpack(answer.content)
    for name, row, (ids, starts) in zip(NAMES, header["rows"], columns, strict=True):
        assert ids.tolist() == get_tokenizer(name).encode(text)
        assert row["tokenizer_name"] == name
        assert len(starts) == len(ids)
    assert session.text == text


@settings(max_examples=60, deadline=None)
@given(drawn=st.lists(texts(), min_size=2, max_size=4), middle=st.text(max_size=3))
def test_a_browser_that_holds_rows_gets_what_it_lacks(drawn, middle):
    session = CompareSession("")
    session.use([get_tokenizer(name) for name in NAMES])
    held, before = None, None
    shared = "Hello 안녕하세요 👋 "
    for text in [
        shared * 3,
        shared + middle + shared * 2,
        *drawn,
        *(f"{shared}{text}{shared}" for text in drawn),
    ]:
        text = replace_lone_surrogates(text)
        before = unpack(bytes(session.answer(text, held=held).body), before)
        held = before[0]["version"]
        whole = unpack(bytes(session.answer(text, held=None).body))
        for name, one, other in zip(NAMES, before[1], whole[1], strict=True):
            assert one[0].tolist() == other[0].tolist() == get_tokenizer(name).encode(text)
            assert one[1].tolist() == other[1].tolist()
        held, before = whole[0]["version"], whole


def test_a_key_press_in_a_long_text_is_a_short_answer(session):
    text = "The quick brown fox jumps. " * 2_000
    first = rows(session, text)
    held = unpack(first.content)[0]["version"]
    changed = text[:30_000] + "x" + text[30_000:]
    assert len(rows(session, changed, held=held).content) < 2_000 < len(first.content)
    assert len(rows(session, changed, held=held).content) > 100_000  # held by no one any more


def test_bad_requests_are_refused_and_the_text_stays(session, monkeypatch):
    session.text = "kept"
    for held in ("9" * 5_000, 1.5, -1, True, 10**400):
        assert rows(session, "x", held=held).status_code == 400
    assert post(session, "rows", {"text": "x"}).status_code == 400
    assert post(session, "rows", {"text": "x", "held": None, "more": 1}).status_code == 400
    assert session.text == "kept"
    monkeypatch.setattr("playground.server.compare_session.MAX_TEXT_BYTES", 10)
    answer = rows(session, "x" * 11)
    assert answer.status_code == 413
    assert "11 bytes; this page compares up to 10" in answer.json()["error"]
    assert session.text == "kept"
    with pytest.raises(TextTooLongError):
        session.cut("x" * 11)


def test_revisions_tell_a_new_text_from_new_tokenizers(session):
    before = (session.revision, session.text_revision)
    session.use(list(session.tokenizers))
    assert (session.revision, session.text_revision) == before
    session.use([get_tokenizer("gpt2")])
    assert (session.revision, session.text_revision) == (before[0] + 1, before[1])
    session.set_text("new")
    assert (session.revision, session.text_revision) == (before[0] + 2, before[1] + 1)
