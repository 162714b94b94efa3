"""Every answer carries headers that tell the browser to be careful."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from playground.server.protection.headers import SafeHeaders


async def hello(_request):
    return PlainTextResponse("hello", headers={"Referrer-Policy": "own"})


def headers_of(path="/", **options):
    app = Starlette(routes=[Route("/", hello)], middleware=[Middleware(SafeHeaders, **options)])
    return TestClient(app).get(path).headers


def policy_of(headers) -> dict[str, str]:
    directives = (part.strip().partition(" ") for part in headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in directives}


def test_no_other_site_frames_scripts_or_sniffs():
    for path in ("/", "/none"):
        headers = headers_of(path)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "SAMEORIGIN"
        policy = policy_of(headers)
        assert policy["frame-ancestors"] == "'self'"
        assert policy["script-src"] == "'self' blob:"
        assert policy["object-src"] == "'none'"
        assert not any("http" in value or "*" in value or "unsafe-eval" in value for value in policy.values())
    assert headers_of("/none")["referrer-policy"] == "same-origin"
    assert headers_of("/")["referrer-policy"] == "own", "what an answer has itself stays"


def test_a_page_of_another_site_may_be_allowed_to_frame():
    headers = headers_of(allowed_frames=["https://a.example"])
    assert policy_of(headers)["frame-ancestors"] == "'self' https://a.example"
    assert "x-frame-options" not in headers


def test_the_scripts_in_streamlits_page_may_run():
    page = '<script src="a.js"></script>\n<script>\n window.x = 1\n</script><script>y</script>'
    sources = policy_of(headers_of(page=page))["script-src"].split()
    assert len(sources) == 4
    assert all(source.startswith("'sha256-") for source in sources[2:])
