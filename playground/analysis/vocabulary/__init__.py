"""Questions about a vocabulary: its tokens, its merges, what two have in common."""
