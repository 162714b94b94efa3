"""Whatever is sent, a route answers or refuses: never a 500, never a traceback."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.any_request import (
    ACTIONS,
    api_calls,
    bodies,
    check_call,
    check_conversation,
    conversations,
    first_version,
)
from tests.server.browser_side import CLIENT


@pytest.mark.parametrize(
    ("kind", "action"), [(kind, action) for kind, actions in ACTIONS.items() for action in actions]
)
@settings(max_examples=8)
@given(data=st.data())
def test_any_body_of_an_action(kind, action, data):
    check_conversation(kind, [(action, data.draw(bodies(ACTIONS[kind][action], first_version(kind))))])


@settings(max_examples=25)
@given(case=st.sampled_from(list(ACTIONS)).flatmap(conversations))
def test_any_messages_of_a_page(case):
    check_conversation(*case)


@settings(max_examples=30)
@given(case=api_calls())
def test_any_call_of_the_api(case):
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
def test_any_path_method_and_headers(path, query, method, headers, start):
    url = "/".join([start, *map(quote, path)]) + "?" + quote(query)
    response = CLIENT.request(method, url, headers=headers, content=b"{}", follow_redirects=False)
    assert response.status_code < 500
