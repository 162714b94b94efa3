"""The Merge tree page."""
