"""Byte-pair encoding: how a text is cut into pretokens and how their parts merge into tokens.

Begin with `lecture`, the algorithm as it is taught; `merging` is the fast version, `split_pattern` the
cutting, `model.BpeModel` what a training leaves behind.
"""
