"""The Tokenize page."""
