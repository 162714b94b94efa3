"""The live editor of Tokenize: what it asks, and what it is answered."""
