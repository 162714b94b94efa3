"""Streamlit's browser code is told to open no dialog over a page, and nothing else changes."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from playground.server.protection.error_dialogs import HOST_CONFIG_PATH, NoErrorDialogs

CONFIG = {"allowedOrigins": ["https://é.example"], "metricsUrl": "", "blockErrorDialogs": False}


async def config(_request):
    return JSONResponse(CONFIG, headers={"Cache-Control": "no-cache"})


async def hello(_request):
    return PlainTextResponse("hello")


ROUTES = [Route(HOST_CONFIG_PATH, config), Route(f"/base{HOST_CONFIG_PATH}", config), Route("/", hello)]


def test_only_the_dialogs_are_turned_off():
    client = TestClient(Starlette(routes=ROUTES, middleware=[Middleware(NoErrorDialogs)]))
    for path in (HOST_CONFIG_PATH, f"/base{HOST_CONFIG_PATH}"):
        answer = client.get(path)
        assert answer.json() == {**CONFIG, "blockErrorDialogs": True}
        assert answer.headers["content-length"] == str(len(answer.content))
        assert answer.headers["cache-control"] == "no-cache"
        assert client.head(path).status_code == 200
    assert client.get("/").text == "hello"
    assert client.post(HOST_CONFIG_PATH).status_code == 405
