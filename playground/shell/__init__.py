"""`python -m playground`: tokenizers on the command line; imports nothing of Streamlit.

`usage.COMMANDS` lists the commands and their arguments, and `main.main` runs one. Each command is `run` in a
module of its name; begin with `count`.
"""
