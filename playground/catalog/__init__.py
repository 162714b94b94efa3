"""Named tokenizers and those of opened files, a module per kind.

Each fulfils `core.tokenizer.Tokenizer`. Begin with `registry.get_tokenizer`, which loads a tokenizer by the
name of an encoding or a model; `opened.open_files` reads a visitor's files.
"""
