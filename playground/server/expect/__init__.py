"""The session of Expect, and the process that has the model and reads the texts."""
