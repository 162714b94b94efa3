"""Settings that all tests share."""

import os
from pathlib import Path

from hypothesis import settings

# The trainer is compiled once for all test processes and servers, also those with a HOME of their own.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path.home() / ".cache" / "tessera"))

# The first example of a test may load a vocabulary, and two cores are shared with a browser.
settings.register_profile("shared_cores", deadline=None)
settings.load_profile("shared_cores")
