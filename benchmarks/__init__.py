"""Where README's numbers come from; each module runs as `python -m benchmarks.NAME`."""
