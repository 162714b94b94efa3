"""Streamlit's page at a page's own address."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from playground.server.page_address import PageAddress, with_first_script

PAGE = with_first_script("<html><head><script>own()</script></head></html>")


async def other(_request):
    return PlainTextResponse("other")


@pytest.fixture
def client():
    app = Starlette(
        routes=[Route("/{path:path}", other, methods=["GET", "POST"])],
        middleware=[Middleware(PageAddress, page=PAGE, names=["train"])],
    )
    return TestClient(app)


@pytest.mark.parametrize("path", ["/", "/train", "/train?share=x", "/below/train"])
def test_a_page_says_where_the_app_is_before_any_script(client, path):
    answer = client.get(path)
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.text.index("BACKEND_BASE_URL") < answer.text.index("own()")


@pytest.mark.parametrize("path", ["/trains", "/train/_stcore/health", "/train.js", "/below/"])
def test_all_else_is_left_to_streamlit(client, path):
    assert client.get(path).text == "other"
    assert client.post("/train").text == "other"
