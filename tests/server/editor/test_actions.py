"""Requests of the editor's browser code, their answers, and refusals."""

import base64
import json
import subprocess
import sys

import pytest

from playground.analysis.categories import Category
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.catalog.models import find_model
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.server.editor.session import EditorSession
from tests.server.browser_side import post, read_columns


@pytest.fixture
def session():
    return EditorSession(get_tokenizer("cl100k_base"))


def read_tokens(response):
    """Return the header, and the ids and lengths of all pieces."""
    assert response.status_code == 200, response.text
    header, (ids, lengths, _marks) = read_columns(response.content)
    assert sum(n_tokens for n_tokens, _, _ in header["pieces"]) == len(ids) == len(lengths)
    return header, ids.tolist(), lengths.tolist()


def edit(session, start, n_deleted, inserted, version=None):
    version = session.document.version if version is None else version
    return post(
        session,
        "edit",
        {"version": version, "start": start, "n_deleted": n_deleted, "inserted": inserted},
    )


def test_open_and_edit_give_tiktokens_ids(session):
    example = session.document.text
    header, ids, lengths = read_tokens(post(session, "open", {"text": example}))
    encoding = load_openai("cl100k_base").encoding
    assert ids == encoding.encode(example)
    assert sum(lengths) == len(example.encode())
    assert session.is_fresh
    _, ids, _ = read_tokens(post(session, "open", {"text": "👋", "mode": "text", "honours_special": False}))
    assert ids == encoding.encode("👋")
    n_units = 2
    header, ids, _ = read_tokens(edit(session, 0, n_units, "नमस्ते 👨‍👩‍👧 <|endoftext|>"))
    assert ids == encoding.encode("नमस्ते 👨‍👩‍👧 <|endoftext|>", disallowed_special=())
    assert not session.is_fresh
    assert header["totals"]["n_tokens"] == len(ids)
    assert header["totals"]["n_tokens_special"] < header["totals"]["n_tokens_plain"]
    _, ids, _ = read_tokens(post(session, "settings", {"honours_special": True}))
    assert ids == encoding.encode("नमस्ते 👨‍👩‍👧 <|endoftext|>", allowed_special="all")
    session.use_tokenizer(session.base_tokenizer, ("नमस्ते",))
    text = session.document.text
    _, ids, _ = read_tokens(post(session, "open", {"text": text}))
    assert ids[0] == session.base_tokenizer.vocabulary.n_vocab
    _, ids, _ = read_tokens(post(session, "settings", {"honours_special": False}))
    assert ids == encoding.encode("नमस्ते 👨‍👩‍👧 <|endoftext|>", disallowed_special=())
    header, _, _ = read_tokens(post(session, "open", {"text": text}))
    assert header["totals"]["counts"] == {"n_characters": 26, "n_bytes": 51, "n_words": 3, "n_lines": 1}


def test_chat_and_ids_have_their_own_modes(session):
    messages = [{"role": "system", "content": "You are a helpful assistant"}, {"role": "user", "content": ""}]
    body = {"mode": "chat", "messages": messages}
    header, ids, lengths = read_tokens(post(session, "settings", body))
    assert ids == [100264, 9125, 100266, 2675, 527, 264, 11190, 18328, 100265, 100264, 882, 100266, 100265,
                   100264, 78191, 100266]  # fmt: skip
    assert (header["totals"]["n_tokens"], header["totals"]["beside"]) == (len(ids), "for cl100k_base")
    assert header["sum"] == "Messages 5 + frame 11 = 16 tokens."
    assert sum(lengths) == len(base64.b64decode(header["raw"]))
    header, ids, _ = read_tokens(post(session, "settings", {"mode": "ids", "ids_text": "[9906, 1917]"}))
    assert (ids, base64.b64decode(header["raw"])) == ([9906, 1917], b"Hello world")
    header, _, lengths = read_tokens(post(session, "ids", {"ids_text": "[9906, 1917, 0, 97, 222]"}))
    assert header["totals"]["counts"]["n_bytes"] == sum(lengths) == 14, "no � is counted for a broken byte"
    header, ids, _ = read_tokens(post(session, "ids", {"ids_text": "9906, 100256"}))
    assert ids == []
    assert "100256" in header["error"]
    assert "0 to 100,276" in header["error"]


def test_ids_open_with_a_greeting_of_the_tokenizer_at_hand_until_others_are_typed(session):
    for name in ("cl100k_base", "gpt2", "o200k_base"):
        session.use_tokenizer(get_tokenizer(name), ())
        header, ids, _ = read_tokens(post(session, "settings", {"mode": "ids"}))
        assert ids == load_openai(name).encoding.encode("Hello world")
        assert base64.b64decode(header["raw"]) == b"Hello world"
    post(session, "ids", {"ids_text": "40"})
    session.use_tokenizer(get_tokenizer("gpt2"), ())
    assert read_tokens(post(session, "open", {"text": ""}))[0]["ids_text"] == "40"


def test_a_pasted_request_becomes_a_chat_whose_parts_add_up_to_the_whole_request(session):
    parts = [{"type": "text", "text": "Hi"}, {"type": "image_url"}]
    request = {
        "model": "gpt-4o",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": parts}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
        "prompt": {"id": "p"},
    }
    post(session, "settings", {"mode": "chat"})
    session.use_tokenizer(get_tokenizer("o200k_base"), (), model=find_model("gpt-4o"))
    header, ids, _ = read_tokens(post(session, "read_chat", {"pasted": json.dumps(request)}))
    assert [message["content"] for message in header["messages"]] == ["Be brief.", "Hi"]
    assert header["messages"][1]["media"] == [{"kind": "image", "width": 0, "height": 0, "detail": ""}]
    assert header["tools"] == [{"name": "f", "text": '{"name":"f","parameters":{"type":"object"}}'}]
    totals = header["totals"]
    assert sum(part["n_tokens"] for part in header["parts"]) == totals["n_tokens"] > len(ids)
    assert (totals["mark"], totals["beside"]) == (
        "at least ≈", "for GPT-4o, without the rest of 1 image of unknown size and the stored prompt",
    )  # fmt: skip
    chat = {name: header[name] for name in ("messages", "tools", "elsewhere")}
    chat |= {"template_name": "", "add_generation_prompt": True, "variables": ""}
    assert read_tokens(post(session, "chat", chat))[0]["parts"] == header["parts"], "as the browser sends it"

    refused = post(session, "read_chat", {"pasted": "[1]"})
    assert refused.status_code == 200, "a slip of the hand is no failed request"
    assert "messages[0]" in read_tokens(refused)[0]["refused"]
    assert len(session.messages) == 2, "the old chat stays"


@pytest.mark.parametrize(
    ("model", "chosen", "problem"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", ""),
        ("gpt-4", "", ""),
        ("gpt-6", "", "The request is for gpt-6: GPT-6 Sol has no tokenizer here."),
        ("ours", "", "The request is for ours: no tokenizer or model is called"),
        ("", "", ""),
    ],
)
def test_the_picker_is_asked_for_the_model_of_a_pasted_request(session, model, chosen, problem):
    session.use_tokenizer(session.base_tokenizer, (), model=find_model("gpt-4"))
    pasted = json.dumps({"model": model, "messages": [{"role": "user", "content": "Hi"}]})
    read = read_tokens(post(session, "read_chat", {"pasted": pasted}))[0]["read"]
    assert read["model"] == chosen
    assert read["problem"].startswith(problem)
    assert bool(read["problem"]) == bool(problem)


def test_another_model_of_the_same_tokenizer_is_counted_in_its_own_way(session):
    session.use_tokenizer(get_tokenizer("o200k_base"), (), model=find_model("gpt-4o"))
    exact = read_tokens(post(session, "settings", {"mode": "chat"}))[0]["totals"]
    revision = session.revision
    session.use_tokenizer(get_tokenizer("o200k_base"), (), model=find_model("gpt-5"))
    assert session.revision > revision
    later = read_tokens(post(session, "open", {"text": ""}))[0]["totals"]
    assert [(totals["mark"], totals["beside"]) for totals in (exact, later)] == [
        ("", "for GPT-4o"), ("≈", "for GPT-5"),
    ]  # fmt: skip


def test_a_token_is_described(session):
    session.document.replace("Egg egg Egg")
    details = post(session, "token", {"index": 0}).json()
    assert (details["id"], details["text"], details["n_occurrences"]) == (36, "E", 1)
    session.document.replace("é")
    session.use_tokenizer(get_tokenizer("utf8_bytes"), ())
    details = post(session, "token", {"index": 1}).json()
    assert (details["text"], details["character"], details["char_start"], details["char_end"]) == (
        None,
        "é",
        0,
        1,
    )
    assert details["code_points"][0]["name"] == "LATIN SMALL LETTER E WITH ACUTE (1 of its 2 bytes)"
    for index in (2, -1, 1.5, "1", True, None, 10**30):
        assert post(session, "token", {"index": index}).status_code == 400


def test_warnings_and_spelled_special_tokens_are_reported(session):
    session.document.replace("<|endoftext|><|im_end|> ")
    answer = post(session, "inspect", {"n_lone_surrogates": 2}).json()
    assert answer["special_spelled"] == ["<|endoftext|>"]
    assert answer["special_elsewhere"] == ["<|im_end|>"]
    assert [warning["kind"] for warning in answer["warnings"]] == ["trailing space", "lone surrogate"]


def test_ranks_and_categories_of_ids_are_returned(session):
    names = ("the", "👋", "42", "...", "  ", "<|endoftext|>")
    ids = [load_openai("cl100k_base").encoding.encode(name, allowed_special="all")[0] for name in names]
    facts = post(session, "facts", {"ids": ids}).json()
    assert facts["ranks"] == [*ids[:-1], None]
    assert facts["categories"][2:] == [
        Category.DIGITS,
        Category.PUNCTUATION,
        Category.WHITESPACE,
        Category.SPECIAL,
    ]
    assert facts["categories"][0] == Category.LETTERS
    assert facts["categories"][1] < 0, "a part of a character: the text decides"
    post(session, "settings", {"mode": "chat"})
    assert post(session, "facts", {"ids": [100264]}).json()["categories"] == [Category.SPECIAL], (
        "the chat's own"
    )
    assert post(session, "facts", {"ids": [10**6]}).status_code == 400
    assert post(session, "facts", {"ids": []}).json() == {"ranks": [], "categories": []}


def test_expensive_words_are_those_of_the_shown_text(session):
    session.document.replace("the antidisestablishmentarianism")
    (word,) = post(session, "expensive", {}).json()["words"]
    n_tokens = len(load_openai("cl100k_base").encoding.encode(" antidisestablishmentarianism"))
    assert (word["word"], word["n_tokens"]) == ("antidisestablishmentarianism", n_tokens)
    post(session, "settings", {"mode": "ids", "ids_text": "9468"})
    assert post(session, "expensive", {}).json()["words"] == [], "bytes need not be words"


def test_snippets_reproduce_the_tokens(session):
    session.document.replace("Hello world")
    assert json.loads(post(session, "snippet", {"kind": "json"}).json()["snippet"])["ids"] == [9906, 1917]
    assert "tiktoken" in post(session, "snippet", {"kind": "python"}).json()["snippet"]
    assert post(session, "snippet", {"kind": "ruby"}).status_code == 400


def test_a_copied_program_runs_in_a_folder_that_has_its_vocabulary_file_alone(session, tmp_path):
    session.use_tokenizer(get_tokenizer("qwen3"), ())
    copied = post(session, "snippet", {"kind": "python"}).json()
    assert copied["file"] == "qwen3.tiktoken.gz"
    content = post(session, "vocabulary_file", {"file": copied["file"]}).content
    (tmp_path / copied["file"]).write_bytes(content)
    subprocess.run([sys.executable, "-c", copied["snippet"]], cwd=tmp_path, check=True, timeout=60)
    assert post(session, "vocabulary_file", {"file": "../NOTICE"}).status_code == 400


def test_an_earlier_version_has_the_tokens_of_the_tokenizer_at_hand(session):
    encoding = load_openai("cl100k_base").encoding
    text = "An earlier version, नमस्ते 👋🏽\r\n"
    header, ids, lengths = read_tokens(post(session, "earlier", {"earlier": text}))
    assert ids == encoding.encode(text)
    assert header["n_tokens"] == len(ids)
    assert sum(n_utf16 for _, n_utf16, _ in header["pieces"]) == len(text.encode("utf-16-le")) // 2
    assert sum(lengths) == len(text.encode())
    session.use_tokenizer(get_tokenizer("gpt2"), ())
    _, ids, _ = read_tokens(post(session, "earlier", {"earlier": text}))
    assert ids == load_openai("gpt2").encoding.encode(text)
    refused = post(session, "earlier", {"earlier": "b" * (MAX_TEXT_BYTES + 1)})
    assert refused.status_code == 413


def test_a_text_over_the_limit_is_refused_and_the_old_one_stays(session):
    session.document.replace("a" * 10)
    refused = edit(session, 0, 0, "b" * MAX_TEXT_BYTES)
    assert refused.status_code == 413
    assert "1,000,000" in refused.json()["error"]
    assert session.document.text == "a" * 10


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"version": 10**6, "start": 0, "n_deleted": 0, "inserted": ""}, 409),
        ({"version": 1, "start": -1, "n_deleted": 0, "inserted": ""}, 400),
        ({"version": 1, "start": 0, "n_deleted": 10**9, "inserted": ""}, 400),
        ({"version": 1, "start": "0", "n_deleted": 0, "inserted": ""}, 400),
        ({"version": 1, "start": 0, "n_deleted": 0, "inserted": None}, 400),
        ({"version": 1, "start": 0.0, "n_deleted": 0, "inserted": ""}, 400),
        ({"version": 1, "start": True, "n_deleted": 0, "inserted": ""}, 400),
        ({"version": 1, "start": 10**30, "n_deleted": 0, "inserted": ""}, 400),
        ({"version": 1}, 400),
        ({"unknown": 1}, 400),
        ([], 400),
    ],
)
def test_a_bad_edit_is_refused_and_changes_nothing(session, body, status):
    text = session.document.text
    response = post(session, "edit", body)
    assert response.status_code == status
    assert response.json()["error"]
    assert session.document.text == text


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "speech"},
        {"mode": ["text"]},
        {"honours_special": "yes"},
        {"messages": [{"role": "user"}]},
        {"messages": "hi"},
        {"messages": [{"role": "user", "content": ""}] * 1_001},
        {"mode": "chat", "messages": [{"role": "user", "content": 1}]},
        {"template_name": "x" * 201},
        {"add_generation_prompt": 1},
        {"variables": "x" * 10_001},
        {"messages": [{"role": "user", "content": "", "fields": {}}]},
        {"mode": "chat", "ids_text": 7},
    ],
)
def test_invalid_settings_change_nothing(session, body):
    before = (session.mode, session.messages, session.template_name, session.ids_text)
    assert post(session, "settings", body).status_code == 400
    assert (session.mode, session.messages, session.template_name, session.ids_text) == before


def test_cuts_belong_to_the_shown_version(session):
    session.document.replace("Hello've 12")
    version = session.document.version
    answer = post(session, "cuts", {"version": version, "pieces": [0]}).json()
    assert answer["cuts"] == [[3, 1, 15, 5]]
    assert [one["name"] for one in answer["alternatives"]][:3] == ["endings such as 's", "letters", "digits"]
    assert post(session, "cuts", {"version": version + 1, "pieces": [0]}).status_code == 409
    assert post(session, "cuts", {"version": version, "pieces": [5]}).status_code == 400
    assert post(session, "cuts", {"version": version, "pieces": [0] * 21}).status_code == 400


def cut_by(session, own="", off=()):
    return post(session, "settings", {"cutting": {"own": own, "off": list(off)}})


def test_alternatives_are_switched_off_and_an_own_pattern_cuts(session):
    session.document.replace("Hello've 123456")
    session.use_tokenizer(session.base_tokenizer, ("<user>",))
    header, ids, _ = read_tokens(cut_by(session, off=[1]))
    assert header["cutting"] == {"own": "", "off": [1]}
    assert session.document.tokenizer.decode(ids) == "Hello've 123456"
    answer = post(session, "cuts", {"version": session.document.version, "pieces": [0]}).json()
    assert answer["can_change"]
    assert [one["is_on"] for one in answer["alternatives"]] == [True, False, *[True] * 6]
    assert answer["cuts"][0][0] == -1, "nothing takes letters"
    assert answer["cuts"][0][-1] == 5, "the digits are the third alternative still"
    header, ids, _ = read_tokens(cut_by(session, own=r"\d{2}|.+?(?=\d)"))
    assert ids[-3:] == [
        load_openai("cl100k_base").encoding.encode_single_token(n) for n in ("12", "34", "56")
    ]
    session.use_tokenizer(session.base_tokenizer, ("<user>", "<system>"))
    assert session.cutting["own"], "the same tokenizer keeps it"
    session.use_tokenizer(get_tokenizer("gpt2"), ())
    assert session.cutting == {"own": "", "off": ()}
    assert session.document.ids == load_openai("gpt2").encoding.encode("Hello've 123456")


def test_an_invalid_pattern_changes_nothing(session, monkeypatch):
    monkeypatch.setattr("playground.bpe.typed_patterns.MAX_SECONDS", 0.2)
    session.document.replace("a" * 40 + "!")
    ids = session.document.ids
    for wrong in ("(", "a*", "(a|aa)+b", "a" * 5_001):
        answer = cut_by(session, own=wrong)
        assert answer.status_code == 400
        assert "pattern" in answer.text or "5,000 characters" in answer.text
        assert (session.document.ids, session.cutting) == (ids, {"own": "", "off": ()})
    session.document.replace("x" * 25_000 + "y")
    slow = cut_by(session, own=r"(?:x+x+)+z|a")  # the probes are quick
    assert slow.status_code == 400
    assert session.document.tokenizer is session.base_tokenizer
    session.use_tokenizer(get_tokenizer("bert_uncased"), ())
    assert "has no split pattern" in cut_by(session, own="a").text
