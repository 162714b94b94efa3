"""The live trees of Merge tree on the server: the session, its actions, and the drawn trees."""
