"""What the server keeps of a visitor's data on Formats, and the routes by which a browser changes it.

Results are computed in background threads (`work.Work`), and a newer request replaces an older one. Begin
with `FormatSession` in `session.py`.
"""
