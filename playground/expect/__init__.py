"""What a small language model expects of each token of a text: its bits, its rank, and what was likelier.

`model_file` finds and fetches the model's file, `weights` and `llama` run it with NumPy, and `reading` reads
a text as it is typed. Begin with `reading.read_text`, which works in the one process that has the model.
"""
