"""`python -m playground`: the shell."""

import sys

from playground.shell.main import main

if __name__ == "__main__":
    sys.exit(main())
