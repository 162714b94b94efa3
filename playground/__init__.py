"""Tessera: a visual playground for tokenizers."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - pip refuses to install it; a checkout says it in one sentence, too
    sys.exit(f"error: Tessera needs Python 3.11 or newer; this is {sys.version.split()[0]}")
