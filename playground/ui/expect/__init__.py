"""The Expect page."""
