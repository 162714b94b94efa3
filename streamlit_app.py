"""What `streamlit run` starts: the server, whose sessions each run `playground/ui/contents.py`."""

import os
import sys
import threading
from pathlib import Path

import streamlit as st

from playground.server.sockets import lifespan
from playground.training.warm_up import warm_up_app
from playground.ui.middleware import middleware

threading.Thread(target=warm_up_app, name="warm up", daemon=True).start()
app = st.App(
    Path(__file__).parent / "playground/ui/contents.py",
    lifespan=lifespan,
    middleware=middleware(sys.argv[1:], os.environ),
)
