"""Questions about a text and its tokens, answered as plain rows; draws nothing."""
