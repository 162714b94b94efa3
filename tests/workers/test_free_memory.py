"""What glibc keeps of memory that is free, as `malloc_info` of a new process tells it."""

import os
import subprocess
import sys

import pytest

PROGRAM = r"""
import ctypes, re, sys, threading
from pathlib import Path
from tempfile import TemporaryDirectory
from playground.workers.free_memory import lend_memory_briefly

libc = ctypes.CDLL(None)
libc.fopen.restype = libc.malloc.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.malloc.argtypes = [ctypes.c_size_t]
libc.fclose.argtypes = libc.free.argtypes = [ctypes.c_void_p]

def told():
    with TemporaryDirectory() as folder:
        path = Path(folder) / "told.xml"
        file = libc.fopen(str(path).encode(), b"w")
        libc.malloc_info(0, file)
        libc.fclose(file)
        return path.read_text()

def n_mapped():
    return int(re.search(r'<total type="mmap" count="(\d+)"', told())[1])

if "as it is" not in sys.argv:
    assert lend_memory_briefly()
libc.free(libc.malloc(20_000_000))
before = n_mapped()
large = [libc.malloc(2_000_000) for _ in range(3)]
met = threading.Barrier(6)
def work():
    libc.malloc(100)
    met.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(n_mapped() - before, told().count("<heap nr="))
"""


def numbers(*arguments: str) -> list[int]:
    """Blocks of 2 MB that lie apart, of three, and how many arenas six threads made."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}  # Dask's
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True, env=plain
    )
    return [int(number) for number in ran.stdout.split()]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc can be asked")
def test_a_large_block_lies_apart_and_threads_share_what_is_free():
    assert numbers("as it is")[0] == 0, "glibc does by itself what it is asked for"
    n_apart, n_arenas = numbers()
    assert n_apart == 3
    assert n_arenas <= 2
