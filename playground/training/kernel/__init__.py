"""Compiled code of training and encoding: scanners, tables, merging. Only this package imports Numba.

`merge_kernel.run_merges` trains, `encoding.encode_parts` encodes and counts, and
`pretoken_table.tally_pretokens` counts pretokens. Begin with `compiled`, then `scanners`.
"""
