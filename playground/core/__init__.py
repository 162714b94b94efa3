"""Immutable values that every room shares: texts, tokens, encodings, vocabularies and errors.

Imports the standard library, `regex` and numpy only; numpy holds the columns of large values. Begin with
`tokenizer.Tokenizer`, the contract of every tokenizer, and `encoding.Encoding`, what it returns.
"""
