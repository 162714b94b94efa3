"""Corpora: files of any number and size, read, counted and encoded as a stream."""
