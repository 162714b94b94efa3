"""Data written in every format, with the number of tokens and the losses of each.

`registry.FORMATS` is the table of formats, `reading.read_document` reads data, and `costs.measure` converts
and counts it. Begin with `values.py`, then `conversion.py`.
"""
