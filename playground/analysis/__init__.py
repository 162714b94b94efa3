"""Questions about a text and its tokens, answered as plain values; draws nothing."""
