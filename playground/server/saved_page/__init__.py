"""Figures as pages of their own: one HTML file that draws a figure as the app does, without a server.

`page.SavedPage` is such a file. Each other module makes the page of one figure from the value that the app
draws it from, for *Save as page* and for `tessera export` alike. The browser code is in `web/saved_page/`.
"""
