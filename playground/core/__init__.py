"""Immutable values that every layer shares; standard library, `regex` and `numpy` only.

numpy holds the columns of large values: with it 1 MB of text is placed in a fifth of the time.
"""
