"""`tessera`: tokenizers on the command line; imports nothing of Streamlit.

`commands.COMMANDS` lists the commands, and `main.main` runs one. Each command is `run` in a module of its
name, below its options; begin with `count`.
"""
