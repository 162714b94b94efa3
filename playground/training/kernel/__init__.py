"""The compiled part of training: scanners, tables, the heap of pairs and the merges."""
