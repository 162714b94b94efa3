"""Settings that all tests share."""

from hypothesis import settings

# The first example of a test may load a vocabulary, and two cores are shared with a browser.
settings.register_profile("shared_cores", deadline=None)
settings.load_profile("shared_cores")
