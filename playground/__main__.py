"""`python -m playground`: the shell."""

import gc
import os
import sys

if __name__ == "__main__":
    # NumPy's threads for algebra, of which there is none here, only wait: a fifth of the start of `count`.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(1_000_000)  # by default a tenth of the start of `count` goes into looking for cycles
    from playground.shell.main import main

    sys.exit(main())
