"""Cases without end, and what they find; `python -m benchmarks.fuzz` runs it."""
