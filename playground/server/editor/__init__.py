"""The live editor of Tokenize on the server: its session, its actions, and the types of its answers."""
