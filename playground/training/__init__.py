"""Counting the pretokens of texts, learning merges from the counts, and what a training leaves to look at.

`pretoken_counts.count_pretokens` counts, `trainer.Trainer` learns, and `run.TrainingRun` does both in a
thread for a page. Begin with `trainer`.
"""
