"""The page Build: a workbench in which a student writes a tokenizer, in one component."""
