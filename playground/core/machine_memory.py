"""How much memory this process may use: the machine's, or less in a container or under a service's limit."""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

#: Where the system is not asked for its memory (Windows).
_UNKNOWN = 4_000_000_000


@cache
def usable_memory() -> int:
    """Return the bytes that this process and its children may use together."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN
    return min([machine, *group_limits(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))])


def group_limits(own_groups: Path, root: Path) -> Iterator[int]:
    """Yield the memory limits of the control groups that a process is in, of version 1 and 2.

    `own_groups` is the process's file, as cgroups(7) describes it; `root` is where groups are mounted. The
    limits of all groups around a group hold too.
    """
    lines = []
    with suppress(OSError):
        lines = own_groups.read_text().splitlines()
    for line in lines:
        _number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            mount, name = root, "memory.max"
        elif "memory" in controllers.split(","):
            mount, name = root / "memory", "memory.limit_in_bytes"
        else:
            continue
        group = mount / path.lstrip("/")
        for folder in (group, *group.parents):
            with suppress(OSError, ValueError):  # no such file, or "max"
                yield int((folder / name).read_text())
            if folder == mount:
                break
