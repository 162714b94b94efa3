"""The Formats page: `data.py` draws its data and settings, `results.py` the results.

The data itself is in the visitor's `server.formats.session.FormatSession`; begin with `pages/formats.py`.
"""
