"""Threads and processes that leave the processor to what answers key presses, where both want it."""

import os
import sys
import threading
from contextlib import suppress

#: How far they stand back; 19 is the end of the line. A visitor waits for a process, with a limit of time:
#: at 5 it gets a third of what the server gets where both want more than there is, at 10 a tenth.
NICE, NICE_PROCESS = 10, 5


def stand_back() -> None:
    """Let this thread have the processor when others do not want it; for the rest of its life.

    For one that works without the interpreter and starts no process, which would stand back too. Only Linux
    has priorities of threads. Beside two threads of compiled work, 95 of 100 key presses took less than 14 ms
    before, and less than 9 ms since, on two busy cores.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def stand_back_whole() -> None:
    """Let this process do so, with all threads and processes that it starts; Windows has no such priorities.

    Linux may share the processor by session first, and by priority only inside of one (sched(7), "The
    autogroup feature"): then a process with a session of its own has as much as the server with all else.
    """
    if os.name != "posix":
        return
    with suppress(OSError):
        os.nice(NICE_PROCESS)
    if os.getsid(0) == os.getpid():
        with suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as file:
            file.write(str(NICE_PROCESS))
