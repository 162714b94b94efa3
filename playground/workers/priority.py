"""Lower the priority of worker processes, so that they leave the cores to key presses."""

import os
from contextlib import suppress

#: Nice value of a worker process; 19 is the lowest priority. A visitor waits for a process, so it gets a
#: third of the server's share of a busy core (at 10 a tenth).
PROCESS_NICE = 5


def lower_process_priority() -> None:
    """Lower the priority of this process; Windows has no such priorities.

    Linux may divide the cores among sessions before it looks at priorities (sched(7), "The autogroup
    feature"), and a worker process has a session of its own.
    """
    if os.name != "posix":
        return
    with suppress(OSError):
        os.nice(PROCESS_NICE)
    if os.getsid(0) == os.getpid():
        with suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as file:
            file.write(str(PROCESS_NICE))
