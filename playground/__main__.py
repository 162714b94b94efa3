"""`python -m playground`: the shell."""

import gc
import sys

if __name__ == "__main__":
    gc.set_threshold(1_000_000)  # by default a tenth of the start of `count` goes into looking for cycles
    from playground.shell.main import main

    sys.exit(main())
