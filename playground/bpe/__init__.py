"""The byte-pair-encoding algorithm, readable enough to show on screen."""
