"""The lessons of the Learn path: each a claim, a figure computed from the class's input, and a question."""
