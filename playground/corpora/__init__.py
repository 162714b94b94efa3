"""Reading, counting and encoding files of any size, in bounded memory, by threads or by a Dask cluster.

`token_counts.count_tokens` counts files and `encode_files.encode_files` writes their ids. Begin with
`sources`, which finds the files, then `blocks`, which reads them.
"""
