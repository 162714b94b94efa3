"""The memory that a process may use follows the limits of its control groups."""

import os
from pathlib import Path

import pytest

from playground.core.machine_memory import group_limits, usable_memory

GB = 1 << 30


@pytest.mark.parametrize(
    ("own_groups", "files", "limits"),
    [
        ("0::/system.slice/tessera.service\n",
         {"system.slice/tessera.service/memory.max": f"{4 * GB}\n", "system.slice/memory.max": "max\n"},
         [4 * GB]),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": f"{2 * GB}\n"}, [2 * GB]),
        ("9:cpu:/x\n8:memory:/docker/1\n", {"memory/memory.limit_in_bytes": f"{GB}\n"}, [GB]),
        ("0::/\n", {}, []),
    ],
)  # fmt: skip
def test_the_limits_of_all_groups_around_a_process_are_read(tmp_path, own_groups, files, limits):
    (tmp_path / "own").write_text(own_groups)
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert [*group_limits(tmp_path / "own", tmp_path / "groups")] == limits
    assert [*group_limits(Path("/none"), tmp_path)] == []


@pytest.mark.skipif(os.name != "posix", reason="asks the system")
def test_no_more_than_the_machine_has_is_usable():
    assert 0 < usable_memory() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
