"""Everything that answers HTTP, without Streamlit: sessions of pages, routes of their actions, and the API.

`sessions.PageSession` is the server's state of one open page, and `actions` maps requests to functions on it.
`saved_page` makes pages of figures, for the shell as well. Begin with `routes`, which lists all routes.
"""
