"""Whatever is sent, a route answers or refuses: never a 500, never a traceback.

The test client raises what a route does not catch.
"""

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.live_comparison import LiveComparison
from playground.catalog.registry import get_tokenizer
from playground.server.api import DECODE_SHAPE, ENCODE_SHAPE
from playground.server.compare_session import COMPARE_ACTIONS, CompareSession
from playground.server.editor.actions import EDITOR_ACTIONS
from playground.server.editor.session import EditorSession
from playground.server.forest.session import FOREST_ACTIONS, ForestSession
from tests.server.browser_side import CLIENT, post_raw

SESSIONS = {
    "editor": EditorSession(get_tokenizer("gpt2")),
    "compare": CompareSession(LiveComparison("a text")),
    "forest": ForestSession("a text"),
}
SESSIONS["compare"].use([get_tokenizer("gpt2"), get_tokenizer("utf8_bytes")])  # type: ignore[attr-defined]
SESSIONS["forest"].use(get_tokenizer("gpt2"))  # type: ignore[attr-defined]
ACTIONS = {
    (kind, name): action.shape
    for kind, actions in (
        ("editor", EDITOR_ACTIONS),
        ("compare", COMPARE_ACTIONS),
        ("forest", FOREST_ACTIONS),
    )
    for name, action in actions.items()
}
API = {"/api/v1/encode": ENCODE_SHAPE, "/api/v1/decode": DECODE_SHAPE}
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
LIKELY = {
    "version": st.integers(0, 3),
    "start": st.integers(0, 5),
    "n_deleted": st.integers(0, 5),
    "index": st.integers(0, 5),
    "step": st.integers(0, 5),
    "n_lone_surrogates": st.integers(0, 3),
    "messages": st.lists(st.fixed_dictionaries({"role": texts, "content": texts}), max_size=3),
    "template_name": st.sampled_from(["gpt-4", "gpt-4o", "gpt-3.5-turbo"]),
    "ids": st.lists(st.integers(0, 60_000), max_size=5),
    "spans": st.booleans(),
    "honours_special": st.booleans(),
    "allowed_special": st.just("all") | st.lists(texts, max_size=2),
}


@st.composite
def bodies(draw, fields):
    """Bytes; JSON of any kind; an object with the right names; or one that is mostly as it should be."""
    kind = draw(st.sampled_from(["bytes", "json", "names", "likely", "likely"]))
    if kind == "bytes":
        return draw(st.binary(max_size=40))
    if kind == "json":
        value = draw(values)
    elif kind == "names":
        value = draw(st.dictionaries(st.sampled_from([*fields, "more"]), values))
    else:
        chosen = {name: draw(LIKELY.get(name, texts)) for name in fields}
        for name in draw(st.sets(st.sampled_from([*fields, "none"]), max_size=1)):
            chosen[name] = draw(values)
        for name in draw(st.sets(st.sampled_from([*fields, "none"]), max_size=1)):
            chosen.pop(name, None)
        value = chosen
    return json.dumps(value).encode()


def assert_fine(response):
    assert response.status_code in FINE, response.text
    if response.status_code != 200:
        assert list(response.json()) == ["error"]
        assert 0 < len(response.json()["error"]) < 1_000


@pytest.mark.parametrize("kind_and_action", ACTIONS, ids="/".join)
@settings(max_examples=40)
@given(data=st.data())
def test_any_body_of_an_action(kind_and_action, data):
    kind, action = kind_and_action
    body = data.draw(bodies([*ACTIONS[kind_and_action].fields]))
    assert_fine(post_raw(SESSIONS[kind], action, body))


@pytest.mark.parametrize("path", API)
@settings(max_examples=60)
@given(data=st.data())
def test_any_body_of_the_api(path, data):
    body = data.draw(bodies([*API[path].fields]))
    assert_fine(CLIENT.post(path, content=body, headers={"Content-Type": "application/json"}))


segments = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).map(lambda s: s.replace("/", ""))
header_values = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30).map(str.strip)


@settings(max_examples=60)
@given(
    path=st.lists(segments, max_size=3),
    query=segments,
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "X"]),
    headers=st.dictionaries(st.sampled_from(["origin", "host", "content-type"]), header_values),
    start=st.sampled_from(["/session", "/api", "/api/v1", "/web"]),
)
def test_any_path_method_and_headers(path, query, method, headers, start):
    url = "/".join([start, *map(quote, path)]) + "?" + quote(query)
    response = CLIENT.request(method, url, headers=headers, content=b"{}", follow_redirects=False)
    assert response.status_code < 500
