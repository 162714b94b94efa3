"""A disk that is full keeps nothing of what is compiled, and what is compiled works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
#: No file may have more bytes than a folder's probe needs.
FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
import numpy as np
from playground.training.kernel import compiled, native_code
assert native_code.CACHE_DIR is not None
from added import add_one
print(compiled.compiled(add_one)(np.array([41])))
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has no limit for files")
def test_what_cannot_be_kept_is_used(tmp_path):
    (tmp_path / "added.py").write_text("def add_one(numbers):\n    return numbers[0] + 1\n")
    path = os.pathsep.join([str(ROOT), str(tmp_path)])
    environment = os.environ | {
        "PYTHONPATH": path,
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", FULL], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr
