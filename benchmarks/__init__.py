"""Where the figures in README come from, one command each."""
