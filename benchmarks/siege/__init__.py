"""Visitors at work, and one among them who tries everything that could stop a server."""
