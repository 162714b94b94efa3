"""The HTTP API answers on the server of the pages."""

import httpx
import pytest

from playground.catalog.openai import load_openai


def test_the_http_api_answers_beside_the_pages(app_url):
    text = "Hello world 안녕하세요"
    body = {"text": text, "model": "gpt-4o", "spans": True}
    answer = httpx.post(f"{app_url}/api/v1/encode", json=body, timeout=30).json()
    assert answer["ids"] == load_openai("o200k_base").encode(text)
    back = httpx.post(f"{app_url}/api/v1/decode", json={"ids": answer["ids"], "model": "gpt-4o"}).json()
    assert back["text"] == text


def test_the_http_api_refuses_over_the_wire(app_url):
    url = f"{app_url}/api/v1/encode"
    assert httpx.get(url).status_code == 405
    body = {"text": "", "model": "gpt-4"}
    foreign = httpx.post(url, json=body, headers={"origin": "http://evil.example"})
    assert foreign.status_code == 403
    assert httpx.post(url, json=body, headers={"origin": app_url}).status_code == 200
    too_long = httpx.post(url, json=body | {"text": "a" * 20_000_000}, timeout=30)
    assert too_long.status_code == 413
    assert "10,000,000" in too_long.json()["error"]


@pytest.mark.parametrize("path", ["", "api/v1/nothing"])
def test_pages_and_api_paths_are_apart(app_url, path):
    answer = httpx.get(f"{app_url}/{path}")
    expected = ("text/html", 200) if not path else ("application/json", 404)
    assert (answer.headers["content-type"].partition(";")[0], answer.status_code) == expected
