"""What stands around the server may be poor or broken: it serves what it can, and says what is wrong."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.apps import ROOT, App, children, free_port, is_alive, running_app

PAGES = ["", "train", "compare", "merge_tree", "formats"]
#: A server whose pool is at work in a library that hears no signal.
AT_WORK = (
    "import threading; from playground.workers.pool import run; "
    "threading.Thread(target=run, args=('re.match', '(a|aa)+$', 'a' * 200 + 'b'), "
    "kwargs={'what': 'it', 'seconds': 600}).start(); "
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what runs, of which one page's files are damaged; nobody may write there."""
    copy = tmp_path / "checkout"
    for name in ("playground", "pages", "assets", ".streamlit"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "streamlit_app.py", copy)
    (copy / "assets" / "texts" / "pride_and_prejudice.txt").unlink()
    (copy / "assets" / "texts" / "udhr.json").write_text("[{}]")
    (copy / "assets" / "vocabularies" / "o200k_base.tiktoken.gz").write_bytes(b"damaged")
    for path in [*copy.rglob("*"), copy]:
        path.chmod(path.stat().st_mode & ~0o222)
    return copy


def poor_environment() -> dict[str, str]:
    """No HOME, no UTF-8, and a cache that cannot be written."""
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    return {**environment, **locale, "NUMBA_CACHE_DIR": "/dev/null/none", "PYTHONDONTWRITEBYTECODE": "1"}


def pages_of(app: App) -> dict[str, str]:
    """What each page sends to a visitor."""

    async def read(page: str) -> str:
        connection, sent = await app.read_page(page)
        await connection.close()
        return b"".join(sent).decode(errors="replace").replace("\\", "")  # Markdown is escaped

    with ThreadPoolExecutor(1) as thread:  # the browser of other tests has a loop in this one
        return {page: thread.submit(asyncio.run, read(page)).result() for page in PAGES}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of processes here")
def test_a_poor_machine_is_served_and_a_server_at_work_ends_at_once(tmp_path: Path, checkout: Path) -> None:
    port = free_port()
    with running_app(tmp_path, port=port, environment=poor_environment(), root=checkout, also=AT_WORK) as app:
        pages = pages_of(app)
        damaged = {
            page: sent for page, sent in pages.items() if "restore it from" in sent or "Not a gzip" in sent
        }
        assert set(damaged) - {"train"} == {"formats"}  # a training tells it when it comes to the text
        assert "o200k_base.tiktoken.gz" in damaged["formats"]
        assert not any("Traceback" in sent for sent in pages.values())
        assert all('"/session/' in pages[page] for page in ("", "compare", "merge_tree"))
        said = app.log.read_text()
        assert "Traceback" not in said
        assert "o200k_base.tiktoken.gz" in said
        command = ["run", "streamlit_app.py", "--server.port", str(port), "--server.headless", "true"]
        second = subprocess.run(
            [sys.executable, "-m", "streamlit", *command],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert second.returncode == 1
        assert f"Port {port} is not available" in second.stdout + second.stderr
        assert (second.stdout + second.stderr).count("\n") == 1
        assert app.ask("/_stcore/health")[0] == 200
        workers = children(app.process.pid)
        assert len(workers) >= 1
        app.process.send_signal(signal.SIGTERM)
        app.process.wait(60)  # its work would take ten minutes
        deadline = time.monotonic() + 15
        while any(map(is_alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(is_alive, workers))
        assert "Traceback" not in app.log.read_text()
