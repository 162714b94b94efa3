"""Immutable values that every layer shares; standard library and `regex` only."""
