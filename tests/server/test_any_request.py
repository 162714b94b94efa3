"""Any request is answered correctly or refused with a reason: never a status 500, never a traceback.

`tests/fuzz_targets.py` uses the same cases. The test client raises what a route does not catch.
"""

import base64
import json
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.live_comparison import LiveComparison
from playground.analysis.live_document import LiveDocument
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import replace_lone_surrogates
from playground.server.api import COUNT_SHAPE, DECODE_SHAPE, ENCODE_SHAPE
from playground.server.compare_session import COMPARE_ACTIONS, CompareSession
from playground.server.editor.actions import EDITOR_ACTIONS
from playground.server.editor.session import EditorSession
from playground.server.learn_session import LEARN_ACTIONS, LearnSession
from playground.server.merge_tree.session import MERGE_TREE_ACTIONS, MergeTreeSession
from playground.server.picker_session import PICKER_ACTIONS, PickerSession
from tests.analysis.texts import texts as hard_texts
from tests.server.browser_side import CLIENT, post_raw

#: What the browser of each kind of page may ask, by the fields of its shape.
ACTIONS = {
    kind: {name: list(action.shape.fields) for name, action in actions.items()}
    for kind, actions in (
        ("editor", EDITOR_ACTIONS),
        ("compare", COMPARE_ACTIONS),
        ("merge_tree", MERGE_TREE_ACTIONS),
        ("picker", PICKER_ACTIONS),
        ("learn", LEARN_ACTIONS),
    )
}
API = {
    "/api/v1/count": list(COUNT_SHAPE.fields),
    "/api/v1/encode": list(ENCODE_SHAPE.fields),
    "/api/v1/decode": list(DECODE_SHAPE.fields),
}
#: The statuses of a request that is served or refused for a reason.
FINE = {200, 400, 404, 405, 409, 410, 413, 415}

texts = st.text(st.characters(), max_size=20) | st.sampled_from(
    ["text", "chat", "ids", "depth", "order", "all", "gpt2", "gpt-4o", "<|endoftext|>", "json", "python",
     "[1, 2]", "9" * 5_000, "\ud83d", "\x00", "a" * 3_000]
)  # fmt: skip
numbers = st.integers() | st.sampled_from([0, 1, 2**31, 2**53, 10**400, -1]) | st.floats()
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "pane", "settings", "window", "label"]) | texts, inner
        )
    ),
    max_leaves=5,
)
#: What each field is for, so that some requests go far.
LIKELY: dict[str, st.SearchStrategy[object]] = {
    "app": st.sampled_from(
        ["http://localhost:8501", "https://class.example/t", "http://[::1", "http://a:99999", "http://\ud800"]
    ),
    "name": st.sampled_from(["mine", "gpt2", "a b"]),
    "packed": st.sampled_from([b"", b"{}", b"kept.model\nminbpe v1\n\n0\n97 97\n", b"kept.json\n{}"]).map(
        lambda raw: base64.b64encode(zlib.compress(raw)).decode()
    ),
    "height_by": st.sampled_from(["depth", "order"]),
    "mode": st.sampled_from(["text", "chat", "ids"]),
    "kind": st.sampled_from(["json", "python"]),
    "view": st.none() | st.fixed_dictionaries({"pane": st.just({"marks": True})}),
    "epoch": st.just(""),
    "earlier": st.none() | hard_texts(3),
    "pasted": st.sampled_from(
        ["[]", "[1]", '{"messages": [], "tools": [{}]}', '[{"role": "a", "content": [""]}]']
    ),
    "tools": st.lists(st.fixed_dictionaries({"name": hard_texts(2), "text": hard_texts(3)}), max_size=2),
    "elsewhere": st.lists(hard_texts(2), max_size=2),
    "ids_text": st.sampled_from(["1 2 3", "[15496, 50256]", "", "-1", "60000", "9" * 5_000, "1, a"]),
    "inserted": hard_texts(),
    "text": texts | hard_texts(),
    "texts": st.lists(texts | hard_texts(3), max_size=3),
    "chat": st.sampled_from(
        [[], [{"role": "user", "content": "a"}], {"contents": [{"parts": []}]}, {"a": 1}]
    ),
    "files": st.dictionaries(texts, st.sampled_from(["", "e30=", "YQ== 0", "é"]), max_size=2),
    "start": st.integers(0, 5),
    "n_deleted": st.integers(0, 5),
    "index": st.integers(0, 5),
    "step": st.integers(0, 5),
    "n_lone_surrogates": st.integers(0, 3),
    "messages": st.lists(
        st.fixed_dictionaries(
            {"role": texts, "content": texts},
            optional={
                "fields": texts | st.just('{"a": 1}'),
                "media": st.lists(st.fixed_dictionaries({"kind": texts}), max_size=2),
            },
        ),
        max_size=3,
    ),
    "template_name": st.sampled_from(["", "mine · tool_use", "no such"]),
    "add_generation_prompt": st.booleans(),
    "variables": st.sampled_from(["", "{}", "[", '{"enable_thinking": false}']),
    "ids": st.lists(st.integers(0, 60_000), max_size=5),
    "spans": st.booleans(),
    "honours_special": st.booleans(),
    "encoding": st.sampled_from(["gpt2", "cl100k_base", "utf8_bytes"]),
    "model": st.sampled_from(["gpt-4", "gpt-2", "davinci"]),
    "lesson": st.sampled_from(["bytes", "bytes", "none"]),
    "values": st.fixed_dictionaries({"text": texts | hard_texts()}) | values,
    "guess": texts,
    "allowed_special": st.sampled_from(["all", [], ["<|endoftext|>"], ["<x>"]]),
}


@st.composite
def bodies(draw: st.DrawFn, fields: Sequence[str], version: int = 0) -> bytes:
    """Draw a body: mostly valid, or with a fault, or any names and values, any JSON, any bytes."""
    kind = draw(st.sampled_from(["likely"] * 5 + ["fault", "fault", "names", "json", "bytes"]))
    if kind == "bytes":
        return draw(st.binary(max_size=40))
    if kind == "json":
        value = draw(values)
    elif kind == "names":
        value = draw(st.dictionaries(st.sampled_from([*fields, "more"]), values))
    else:
        likely = LIKELY | {"version": st.just(version)}
        value = {name: draw(likely.get(name, texts)) for name in fields}
        if kind == "fault" and draw(st.booleans()):
            value[draw(st.sampled_from([*fields, "more"]))] = draw(values)
        elif kind == "fault":
            value.pop(draw(st.sampled_from([*fields, "none"])), None)
    return json.dumps(value).encode()


def new_session(
    kind: str,
) -> EditorSession | CompareSession | MergeTreeSession | PickerSession | LearnSession:
    """Return a session of a page that was just opened."""
    tokenizers = [get_tokenizer("gpt2"), get_tokenizer("utf8_bytes")]
    match kind:
        case "editor":
            return EditorSession(tokenizers[0])
        case "compare":
            compare = CompareSession(LiveComparison("a text"))
            compare.use(tokenizers)
            return compare
        case "learn":
            return LearnSession()
        case "picker":
            return PickerSession()
        case _:
            session = MergeTreeSession("a text")
            session.use(tokenizers[0])
            return session


@cache
def first_version(kind: str) -> int:
    """Return the version of the text to which the first edit is made."""
    match new_session(kind):
        case EditorSession() as editor:
            return editor.document.version
        case CompareSession() as compare:
            return compare.comparison.version
        case _:
            return 0


@st.composite
def conversations(draw: st.DrawFn, kind: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Draw a kind of page, and messages to one session of it, in order."""
    messages, version = [], first_version(kind)
    for action in draw(st.lists(st.sampled_from(list(ACTIONS[kind])), min_size=1, max_size=6)):
        messages.append((action, draw(bodies(ACTIONS[kind][action], version))))
        version += action == "edit"
    return kind, messages


def api_calls() -> st.SearchStrategy[tuple[str, bytes]]:
    """Draw a path and a body, with a tokenizer's name if the body is valid."""
    return st.tuples(st.sampled_from(list(API)), st.sampled_from(["encoding", "model"])).flatmap(
        lambda chosen: st.tuples(
            st.just(chosen[0]), bodies([name for name in API[chosen[0]] if name != chosen[1]])
        )
    )


def check_conversation(kind: str, conversation: Sequence[tuple[str, bytes]]) -> None:
    """Check that a session answers each message, and then has the tokens of its whole text."""
    session = new_session(kind)
    for action, body in conversation:
        assert_fine(post_raw(session, action, body))
    if isinstance(session, EditorSession):
        check_document(session.document)
    elif isinstance(session, CompareSession):
        for document in session.comparison.documents:
            check_document(document)


def check_document(document: LiveDocument) -> None:
    """Check that a live text has the ids of its whole text."""
    honoured = document.tokenizer.special_tokens if document.honours_special else ()
    ids = document.tokenizer.encode(document.text, allowed_special=frozenset(honoured))
    assert document.ids == ids


def check_call(path: str, body: bytes) -> None:
    """Check that the API refuses, or returns ids that spell the text, and the text of ids."""
    response = CLIENT.post(path, content=body, headers={"Content-Type": "application/json"})
    assert_fine(response)
    if response.status_code != 200:
        return
    asked, answer = json.loads(body), response.json()
    tokenizer = get_tokenizer(answer["encoding"])
    if path == "/api/v1/decode":
        raw = b"".join(map(tokenizer.vocabulary.raw_of, asked["ids"]))
        assert (bytes.fromhex(answer["bytes"]), answer["text"]) == (raw, raw.decode(errors="replace"))
        return
    text = replace_lone_surrogates(asked["text"])
    assert tokenizer.decode(answer["ids"]) == text
    assert answer["count"] == len(answer["ids"])
    if "tokens" in answer:
        assert [token["id"] for token in answer["tokens"]] == answer["ids"]
        assert bytes.fromhex("".join(token["bytes"] for token in answer["tokens"])) == text.encode()
        assert all(
            token["byte_end"] - token["byte_start"] == len(token["bytes"]) // 2 for token in answer["tokens"]
        )


def assert_fine(response: Any) -> None:
    """Check that a request was answered, or refused with one sentence."""
    assert response.status_code in FINE, response.text
    if response.status_code != 200:
        assert list(response.json()) == ["error"]
        assert 0 < len(response.json()["error"]) < 1_000


@pytest.mark.parametrize(
    ("kind", "action"), [(kind, action) for kind, actions in ACTIONS.items() for action in actions]
)
@settings(max_examples=8)
@given(data=st.data())
def test_any_body_of_an_action_gets_an_answer_or_a_refusal(kind, action, data):
    check_conversation(kind, [(action, data.draw(bodies(ACTIONS[kind][action], first_version(kind))))])


@settings(max_examples=25)
@given(case=st.sampled_from(list(ACTIONS)).flatmap(conversations))
def test_any_messages_of_a_page_get_an_answer_or_a_refusal(case):
    check_conversation(*case)


@settings(max_examples=30)
@given(case=api_calls())
def test_any_call_of_the_api_gets_an_answer_or_a_refusal(case):
    check_call(*case)


segments = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).map(lambda s: s.replace("/", ""))
header_values = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30).map(str.strip)


@settings(max_examples=40)
@given(
    path=st.lists(segments, max_size=3),
    query=segments,
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "X"]),
    headers=st.dictionaries(st.sampled_from(["origin", "host", "content-type"]), header_values),
    start=st.sampled_from(["/session", "/api", "/api/v1", "/web"]),
)
def test_any_path_method_and_headers_get_an_answer_or_a_refusal(path, query, method, headers, start):
    url = "/".join([start, *map(quote, path)]) + "?" + quote(query)
    response = CLIENT.request(method, url, headers=headers, content=b"{}", follow_redirects=False)
    assert response.status_code < 500
