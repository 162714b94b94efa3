"""What stands before all pages and routes, Streamlit's too: headers, names, and how much visitors take."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from playground.server.options import read_options
from playground.server.protection.error_dialogs import NoErrorDialogs
from playground.server.protection.headers import SafeHeaders
from playground.server.protection.hosts import HostCheck
from playground.server.protection.uploads import UploadLimit
from playground.server.protection.visitors import VisitorLimit
from playground.ui.held_uploads import uploaded_bytes


def middleware(arguments: Sequence[str], environment: Mapping[str, str]) -> list[Middleware]:
    """The middleware of a server that is started with these; the first sees a request first."""
    options = read_options(arguments, environment)
    own_page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    started_as = [st.get_option("server.address") or "", st.get_option("browser.serverAddress") or ""]
    return [
        Middleware(SafeHeaders, allowed_frames=options.allowed_frames, page=own_page),
        Middleware(HostCheck, allowed_hosts=[*options.allowed_hosts, *started_as]),
        Middleware(NoErrorDialogs),
        Middleware(VisitorLimit),
        Middleware(UploadLimit, held=uploaded_bytes),
    ]
