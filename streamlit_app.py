"""What `streamlit run` starts: the server, whose sessions each run `playground/ui/contents.py`."""

import os
import sys
import threading

import streamlit as st

from playground.core.home import PACKAGE
from playground.server.sockets import lifespan
from playground.training.kernel.cache_folder import numba_version
from playground.training.warm_up import warm_up_app
from playground.ui.middleware import middleware

numba_version()  # found in `sys.path`, which Streamlit changes while pages run
threading.Thread(target=warm_up_app, name="warm up", daemon=True).start()
app = st.App(
    PACKAGE / "ui/contents.py",
    lifespan=lifespan,
    middleware=middleware(sys.argv[1:], os.environ),
)
