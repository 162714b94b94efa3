"""Host check, security headers, the server's options, and Tessera's routes before Streamlit's."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.server.browser_code import WEB_PATH
from playground.server.editor.session import EditorSession
from playground.server.protection.headers import SafeHeaders
from playground.server.protection.hosts import HostCheck, host_name
from playground.server.routes import OwnRoutes
from playground.ui.middleware import NoErrorDialogs, ServerOptions, offered_places, read_options


async def hello(_request):
    return PlainTextResponse("hello", headers={"Referrer-Policy": "own"})


async def talk(websocket):
    await websocket.accept()
    await websocket.close()


def client(middleware, address="127.0.0.1", **options):
    """Return a client of a small app behind one middleware, connected to this address of the server."""
    routes = [
        WebSocketRoute("/stream", talk),
        Route("/{path:path}", hello, methods=["GET", "POST"]),
    ]
    host = f"[{address}]" if ":" in address else address
    app = Starlette(routes=routes, middleware=[Middleware(middleware, **options)])
    return TestClient(app, base_url=f"http://{host}:8501")


def host_status(address, host, *allowed_hosts):
    asked = client(HostCheck, address, allowed_hosts=allowed_hosts)
    return asked.get("/", headers={"host": host}).status_code


@pytest.mark.parametrize(
    ("address", "host", "status"),
    [
        ("127.0.0.1", "LOCALHOST.:8501", 200),
        ("127.0.0.1", "app.localhost", 200),
        ("::1", "[::1]:8501", 200),
        ("::ffff:127.0.0.1", "localhost", 200),
        ("127.0.0.1", "evil.example:8501", 421),
        ("::ffff:127.0.0.1", "evil.example", 421),
        ("127.0.0.1", "localhost.evil.example", 421),
        ("127.0.0.1", "evillocalhost", 421),
        ("127.0.0.1", "127.0.0.1.evil.example", 421),
        ("127.0.0.1", "192.168.1.7", 421),
        ("192.168.1.7", "192.168.1.7:8501", 200),
        ("172.17.0.2", "192.168.1.7:8501", 200),  # a container's port that its machine forwards
        ("fe80::1%eth0", "[fe80::1%25eth0]:80", 200),
        ("192.168.1.7", "evil.example", 421),
        ("192.168.1.7", "", 421),
        ("192.168.1.7", "evil.example@192.168.1.7", 421),
    ],
)
def test_the_host_must_be_a_name_of_the_server(address, host, status):
    assert host_status(address, host) == status


def test_the_machines_own_name_is_served_to_other_machines_only(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Desk7.school.example")
    for host in ("desk7", "desk7.local", "desk7.school.example"):
        assert host_status("192.168.1.7", host) == 200
        assert host_status("127.0.0.1", host) == 421
    assert host_status("192.168.1.7", "school.example") == 421


def test_other_names_can_be_allowed_and_a_refusal_says_how():
    assert host_status("127.0.0.1", "class.example:443", "class.example:8501") == 200
    assert host_status("127.0.0.1", "other.class.example", "class.example") == 421
    assert host_status("127.0.0.1", "evil.example", "*") == 200
    answer = client(HostCheck).get("/", headers={"host": "class.example:8501"})
    assert "--allow-host class.example:8501" in answer.text


def test_two_host_headers_and_websockets_of_other_hosts_are_refused_and_health_is_answered():
    local = client(HostCheck)
    assert local.get("/", headers=[("host", "localhost"), ("host", "evil.example")]).status_code == 421
    with local.websocket_connect("/stream", headers={"host": "localhost"}):
        pass
    with pytest.raises(WebSocketDisconnect):
        local.websocket_connect("/stream", headers={"host": "evil.example"}).__enter__()
    assert local.get("/_stcore/health", headers={"host": "10.0.0.3"}).status_code == 200


@given(host=st.text(max_size=30))
def test_any_host_header_is_a_lower_case_name_or_invalid(host):
    name = host_name(host)
    assert host_name(name) in (name, "") or name.endswith(".")
    assert name == name.lower()


def policy_of(headers) -> dict[str, str]:
    directives = (part.strip().partition(" ") for part in headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in directives}


def test_headers_forbid_framing_sniffing_and_scripts_of_other_sites():
    page = '<script src="a.js"></script>\n<script>\n window.x = 1\n</script><script>y</script>'
    headers = client(SafeHeaders, page=page).get("/").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["referrer-policy"] == "own", "a header that the answer sets itself stays"
    policy = policy_of(headers)
    assert policy["frame-ancestors"] == "'self'"
    own, blob, *inline = policy["script-src"].split()
    assert (own, blob, len(inline)) == ("'self'", "blob:", 2)
    assert all(source.startswith("'sha256-") for source in inline)
    assert not any("http" in value or "*" in value or "unsafe-eval" in value for value in policy.values())


def test_an_allowed_site_may_frame():
    headers = client(SafeHeaders, allowed_frames=["https://a.example"]).get("/").headers
    assert policy_of(headers)["frame-ancestors"] == "'self' https://a.example"
    assert "x-frame-options" not in headers


def test_caches_are_offered_only_where_no_one_else_can_visit(tmp_path, monkeypatch):
    """Folders that are named are for everybody."""

    def places(address, **environment):
        monkeypatch.setattr("sys.argv", ["streamlit_app.py", "--models", str(tmp_path)])
        monkeypatch.setattr("streamlit.get_option", {"server.address": address}.get)
        monkeypatch.setenv("TESSERA_ALLOW_HOST", environment.get("host", ""))
        found = offered_places()
        assert found.folders == (tmp_path,)
        return found.has_caches

    assert places("localhost")
    assert places("127.0.0.1")
    assert not places("0.0.0.0")
    assert not places(None)
    assert not places("localhost", host="class.example")


def test_options_come_from_arguments_and_environment():
    arguments = ["--allow-host", "a.example, b.example", "--else", "--allow-frame=https://c.example:8443"]
    environment = {"TESSERA_ALLOW_HOST": "d.example", "TESSERA_ALLOW_FRAME": "http://e.example"}
    assert read_options(arguments, environment) == ServerOptions(
        ("a.example", "b.example", "d.example"), ("https://c.example:8443", "http://e.example")
    )


@pytest.mark.parametrize(
    "arguments",
    [["--allow-host", "a b"], ["--allow-host", "https://a.example"], ["--allow-frame", "a.example"],
     ["--allow-frame", "https://a.example; script-src *"]],
)  # fmt: skip
def test_an_invalid_option_is_refused_with_an_example(arguments):
    with pytest.raises(InvalidInputError, match=r"is not an? (host name|origin); use one such as"):
        read_options(arguments, {})


def test_tesseras_routes_are_served_below_the_base_path_and_others_passed_on():
    below = client(OwnRoutes, base_path="/tools/")
    assert below.get(f"/tools{WEB_PATH}/editor/editor.js").headers["cache-control"].endswith("immutable")
    assert below.post("/tools/session/none/open", json={}).status_code == 410
    assert below.get(f"/tools{WEB_PATH}/none.js").status_code == 404
    for path in (f"{WEB_PATH}/editor/editor.js", "/tools/train", "/tools"):
        assert below.get(path).text == "hello"


def test_long_answers_are_compressed_and_short_ones_are_not():
    session = EditorSession(get_tokenizer("gpt2"))
    own = client(OwnRoutes)
    for text, is_compressed in (("Hello", False), ("Some words in a line. " * 5_000, True)):
        with own.stream("POST", f"{session.url}/open", json={"text": text}) as answer:
            raw = b"".join(answer.iter_raw())
        assert (answer.headers.get("content-encoding") == "gzip") is is_compressed
        assert b'"version"' in (gzip.decompress(raw) if is_compressed else raw)


def test_streamlits_error_dialogs_are_blocked():
    config = {"allowedOrigins": ["https://é.example"], "blockErrorDialogs": False, "metricsUrl": ""}

    async def host_config(_request):
        return JSONResponse(config)

    routes = [Route("/below/_stcore/host-config", host_config)]
    app = Starlette(routes=routes, middleware=[Middleware(NoErrorDialogs)])
    answer = TestClient(app).get("/below/_stcore/host-config")
    assert answer.json() == {**config, "blockErrorDialogs": True}
