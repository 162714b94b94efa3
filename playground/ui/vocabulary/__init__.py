"""The Vocabulary page: search, health, comparison and conversion of one tokenizer's vocabulary.

Each view is a module: `search`, `health`, `compare`, `convert`. `old_links` opens the addresses that these
views had on Merge tree and Compare.
"""
