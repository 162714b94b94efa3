"""What `streamlit run` starts: the server, whose sessions each run `playground/ui/contents.py`."""

import os
import sys

import streamlit as st

from playground.core.home import PACKAGE
from playground.server.lifespan import lifespan
from playground.ui.middleware import middleware

app = st.App(
    PACKAGE / "ui/contents.py",
    lifespan=lifespan,
    middleware=middleware(sys.argv[1:], os.environ),
)
