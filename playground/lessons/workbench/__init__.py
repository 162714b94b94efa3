"""The workbench of the page Build: steps in which a student writes a tokenizer.

`steps.steps()` are the steps, `harness.run` runs a student's code for one, in the browser and in tests, and
`notebooks` writes the same steps as notebooks. Begin with `assets/build/get_stats.py`.
"""
