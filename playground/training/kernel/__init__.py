"""Compiled code of training and encoding: scanners, tables, merging. Only this package imports Numba.

`encoding.encode_parts` encodes and counts, `pretoken_table.tally_pretokens` counts pretokens.
"""
