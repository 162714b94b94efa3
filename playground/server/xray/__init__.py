"""The session of X-ray."""
