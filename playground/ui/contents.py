"""The app's table of contents: the script that Streamlit runs for each browser session.

It is not beside `pages/`: Streamlit takes a folder of that name beside its main script for an app of
the older kind, without navigation.
"""

import streamlit as st

from playground.ui import page
from playground.ui.page import PAGES

if __name__ == "__main__":  # as which Streamlit runs it
    page.run(
        [
            st.Page(PAGES / "tokenize.py", title="Tokenize", icon=":material/edit_note:", default=True),
            st.Page(PAGES / "train.py", title="Train", icon=":material/stacked_line_chart:"),
            st.Page(PAGES / "compare.py", title="Compare", icon=":material/compare_arrows:"),
            st.Page(PAGES / "merge_tree.py", title="Merge tree", icon=":material/account_tree:"),
            st.Page(PAGES / "vocabulary.py", title="Vocabulary", icon=":material/dictionary:"),
            st.Page(PAGES / "xray.py", title="X-ray", icon=":material/radiology:"),
            st.Page(PAGES / "expect.py", title="Expect", icon=":material/psychology:"),
            st.Page(PAGES / "formats.py", title="Formats", icon=":material/data_object:"),
            st.Page(PAGES / "learn.py", title="Learn", icon=":material/school:"),
            st.Page(PAGES / "build.py", title="Build", icon=":material/construction:"),
        ]
    )
