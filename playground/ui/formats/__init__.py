"""The parts of the Formats page: `data.py` is its data and settings, `results.py` what is drawn of them.

The data itself is in the visitor's `server.formats.session.FormatSession`; begin with `pages/formats.py`.
"""
