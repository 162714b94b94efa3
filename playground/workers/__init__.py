"""Runs functions in worker processes with limits of CPU time and memory, shared fairly among visitors.

`pool.run` runs a function, and `progress.report` lets it say how far it is. Begin with `pool`.
"""
