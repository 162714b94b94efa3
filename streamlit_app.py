"""The app's table of contents, and what `streamlit run` starts.

The server imports this file for `app`; each browser session then runs it as a script. The pages are in
`articles/`, because Streamlit takes a folder `pages/` beside this file for its older kind of app.
"""

import os
import sys

import streamlit as st

from playground.server.sockets import lifespan
from playground.ui import page
from playground.ui.middleware import middleware

if __name__ == "__main__":
    pages = [
        st.Page("articles/tokenize.py", title="Tokenize", icon=":material/edit_note:", default=True),
        st.Page("articles/train.py", title="Train", icon=":material/stacked_line_chart:"),
        st.Page("articles/compare.py", title="Compare", icon=":material/compare_arrows:"),
        st.Page("articles/merge_tree.py", title="Merge tree", icon=":material/account_tree:"),
        st.Page("articles/formats.py", title="Formats", icon=":material/data_object:"),
        st.Page("articles/learn.py", title="Learn", icon=":material/school:"),
    ]
    page.run(pages)
else:
    app = st.App(__file__, lifespan=lifespan, middleware=middleware(sys.argv[1:], os.environ))
