"""Whether two tokenizers differ: the shortest text on which they do, and lock files that pin a tokenizer.

Begin with `search.find_difference`; `lock` writes and checks the files of `tessera lock`.
"""
