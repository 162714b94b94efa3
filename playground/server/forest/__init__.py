"""The live forest of Merge tree: what it asks, and what it is answered."""
