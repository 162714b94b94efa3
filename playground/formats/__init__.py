"""Data written in every format, and what each costs in tokens; `registry.FORMATS` is the table."""
