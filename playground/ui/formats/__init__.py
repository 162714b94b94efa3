"""The Formats page."""
