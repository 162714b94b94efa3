"""Virtual visitors of every kind, and what a server needs for them."""
