"""Training: texts counted, merges learned, and what a training leaves to look at."""
