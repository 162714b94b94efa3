"""What stands before all pages and routes, Streamlit's too: headers, names, and how much visitors take."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from playground.server.options import read_options
from playground.server.page_address import PageAddress, with_first_script
from playground.server.protection.door import Door
from playground.server.protection.error_dialogs import NoErrorDialogs
from playground.server.protection.headers import SafeHeaders
from playground.server.protection.hosts import HostCheck
from playground.server.protection.uploads import UploadLimit
from playground.server.protection.visitors import PageLimit, VisitorLimit
from playground.server.routes import session_route_below
from playground.server.sessions_first import SessionsFirst
from playground.ui import turns
from playground.ui.held_uploads import uploaded_bytes
from playground.ui.housekeeping import KEEP_SECONDS, is_held

PAGES = Path(__file__).resolve().parents[2] / "pages"


def middleware(arguments: Sequence[str], environment: Mapping[str, str]) -> list[Middleware]:
    """The middleware of a server that is started with these; the first sees a request first."""
    options = read_options(arguments, environment)
    own_page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    page = with_first_script(own_page)
    started_as = [st.get_option("server.address") or "", st.get_option("browser.serverAddress") or ""]
    return [
        Middleware(SafeHeaders, allowed_frames=options.allowed_frames, page=page),
        Middleware(HostCheck, allowed_hosts=[*options.allowed_hosts, *started_as]),
        Middleware(NoErrorDialogs),
        Middleware(VisitorLimit),
        Middleware(PageLimit, is_held=is_held, keep_seconds=KEEP_SECONDS),
        Middleware(Door, n_waiting=turns.n_waiting),
        Middleware(UploadLimit, held=uploaded_bytes),
        Middleware(PageAddress, page=page, names=frozenset(path.stem for path in PAGES.glob("*.py"))),
        Middleware(SessionsFirst, route=session_route_below(st.get_option("server.baseUrlPath") or "")),
    ]
