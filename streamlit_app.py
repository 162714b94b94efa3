"""The app's table of contents, and what `streamlit run` starts.

The server imports this file for `app`; each browser session then runs it as a script.
"""

import os
import sys

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from playground.server.protection.visitors import raise_descriptor_limit
from playground.server.routes import routes_below
from playground.ui import page
from playground.ui.housekeeping import keep_house
from playground.ui.middleware import middleware
from playground.ui.presses import hear_each_press
from playground.ui.uploads import share_uploads

if __name__ == "__main__":
    pages = [
        st.Page("pages/tokenize.py", title="Tokenize", icon=":material/edit_note:", default=True),
        st.Page("pages/train.py", title="Train", icon=":material/stacked_line_chart:"),
        st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
        st.Page("pages/merge_tree.py", title="Merge tree", icon=":material/account_tree:"),
        st.Page("pages/formats.py", title="Formats", icon=":material/data_object:"),
        st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
    ]
    page.run(pages)
else:
    # Until st.navigation has run once, Streamlit lists pages/ by itself; a link to a page may come first.
    PagesManager.uses_pages_directory = False
    raise_descriptor_limit()
    share_uploads()
    hear_each_press()
    # Seconds after which a thread that waits for the interpreter asks for it. A key press waits four times or
    # so: beside three busy threads 54 ms (median) at 0.001, 20 ms at 0.0002. These do a tenth less for it.
    sys.setswitchinterval(0.0002)
    app = st.App(
        __file__,
        lifespan=keep_house,
        routes=routes_below(st.get_option("server.baseUrlPath")),
        middleware=middleware(sys.argv[1:], os.environ),
    )
