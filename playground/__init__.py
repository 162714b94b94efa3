"""Tessera: a visual playground for tokenizers."""
