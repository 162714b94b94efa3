"""Named tokenizers, one file a kind; `registry` is the table at the end."""
