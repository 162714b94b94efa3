"""The app's table of contents, and what `streamlit run` starts.

The server imports this file for `app`; each browser session then runs it as a script.
"""

import os
import sys

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from playground.server.sockets import lifespan
from playground.ui import page
from playground.ui.middleware import middleware
from playground.ui.presses import hear_each_press

pages = [
    st.Page("pages/tokenize.py", title="Tokenize", icon=":material/edit_note:", default=True),
    st.Page("pages/train.py", title="Train", icon=":material/stacked_line_chart:"),
    st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
    st.Page("pages/merge_tree.py", title="Merge tree", icon=":material/account_tree:"),
    st.Page("pages/formats.py", title="Formats", icon=":material/data_object:"),
    st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
]
if __name__ == "__main__":
    page.run(pages)
else:
    # Until st.navigation has run once, Streamlit lists pages/ by itself; a link to a page may come first.
    PagesManager.uses_pages_directory = False
    hear_each_press()
    app = st.App(__file__, lifespan=lifespan, middleware=middleware(sys.argv[1:], os.environ))
