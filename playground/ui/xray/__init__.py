"""The X-ray page."""
