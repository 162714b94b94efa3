"""Tokenizer files that other tools load, a module per format.

Begin with `registry.FILE_FORMATS`, the table of formats that are written, proven and read back.
`library_file`, `library_document` and `library_cuts` are for files that their own library runs; `checks` and
`limits` guard every reader.
"""
