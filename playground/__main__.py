"""The command `tessera`, also as `python -m playground`: the shell."""

import gc
import os
import sys
from contextlib import suppress

from playground.shell.interruption import end_at_once


def start() -> None:
    """Run a command of the shell and end the process with its exit status."""
    end_at_once()
    # NumPy's algebra threads are not needed and take a fifth of the start of `count`.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(1_000_000)  # by default a tenth of the start of `count` goes into looking for cycles
    from playground.shell.main import main

    status = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed
            with suppress(OSError):  # the reader of standard output has closed it
                stream.flush()
    os._exit(status)  # a tenth of `count` went into freeing, object by object, what goes with the process


if __name__ == "__main__":
    start()
