"""`--engine` and `--scheduler`: what does the work."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playground.core.errors import InvalidInputError


@contextmanager
def engine_of(arguments: argparse.Namespace) -> Iterator[Any]:
    """A Dask client, or None for threads. Raises what `dask_engine.cluster` does."""
    if arguments.engine == "threads":
        if arguments.scheduler:
            raise InvalidInputError(f"--scheduler {arguments.scheduler} is for --engine dask")
        yield None
        return
    from playground.corpora.dask_engine import cluster  # only here: Dask is large, and may not be installed

    with cluster(arguments.scheduler, n_workers=arguments.threads) as client:
        yield client
