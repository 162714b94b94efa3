"""A server that is asked to stop in the midst of work is gone within seconds, and leaves no process."""

import asyncio
import json
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from playground.server.ending import END_SECONDS
from tests.e2e.apps import App, children, is_alive, running_app

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of processes")

#: Runs in the server before it starts: a thread that works once a file in HOME says so, and tells it then.
#: It works until it is ended: a quick machine would have done any work before the server is told to stop.
TRAINING = """
import threading, time
from pathlib import Path

def train():
    while not Path.home().joinpath("train").exists():
        time.sleep(0.05)
    from playground.training.corpora import Corpus
    from playground.training.run.settings import RunSettings
    from playground.training.run.training_run import TrainingRun
    corpus = Corpus("numbers", (" ".join(map(str, range(10**6, 12 * 10**5))),))
    while True:
        run = TrainingRun(corpus, RunSettings(vocab_size=100_000))
        while not run.n_merges:
            run.wait(0.05)
        print("at work: train", flush=True)
        run.wait(600)

threading.Thread(target=train, daemon=True).start()
"""
#: The first thread hears nothing; Python would wait for it.
CONVERSION = """
import threading, time
from pathlib import Path

threading.Thread(target=time.sleep, args=(600,)).start()

def convert():
    while not Path.home().joinpath("convert").exists():
        time.sleep(0.05)
    from contextlib import suppress
    from playground.formats.offloading import iter_conversions, open_document
    from playground.workers.process import CancelledError
    document = open_document("[" + ",".join('{"a":%d,"b":"x"}' % n for n in range(50_000)) + "]")
    with suppress(CancelledError):  # the pool is closed at the end
        while True:
            for _ in iter_conversions(document.data):
                print("at work: convert", flush=True)

threading.Thread(target=convert).start()
"""


def let_work(app: App, work: str) -> None:
    """Let the thread begin, once the app is there, and wait for it."""
    app.log.with_name(work).touch()
    deadline = time.monotonic() + 60
    while f"at work: {work}" not in (said := app.log.read_text()):
        assert time.monotonic() < deadline, said
        time.sleep(0.05)


def stop(app: App, how: signal.Signals) -> None:
    """Stop the server; it must end while it works, and all that it has started with it."""
    assert END_SECONDS < 5
    started = children(app.process.pid)
    app.process.send_signal(how)
    app.process.wait(END_SECONDS + 15)  # a machine under load is slow; without a bound it takes a minute
    deadline = time.monotonic() + 15
    while any(map(is_alive, started)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, started))
    assert "Traceback" not in app.log.read_text()


def send(app: App, method: str, path: str, body: bytes, *, length: int) -> socket.socket:
    """A connection on which a request of `length` bytes has been sent as far as `body`."""
    address = urlsplit(app.url)
    connection = socket.create_connection((str(address.hostname), int(address.port or 80)), 60)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    kind = "multipart/form-data; boundary=b" if method == "PUT" else "application/json"
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {app.host}",
        f"Content-Type: {kind}",
        f"Content-Length: {length}",
    ]
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    return connection


def serves(app: App) -> bool:
    """Whether a server answers the API, and a visitor of its first page gets a session."""
    status, _ = app.ask("/api/v1/encode", {"text": "Hello world", "encoding": "gpt2"})
    with ThreadPoolExecutor(1) as thread:  # the browser of other tests has a loop in this one
        _, session = thread.submit(asyncio.run, app.open_page()).result()
    return (status, session[:9]) == (200, "/session/")


def test_two_servers_of_one_checkout_serve_and_work_and_requests_that_do_not_end_are_cut_off(
    app: App, tmp_path: Path
) -> None:
    """A training and conversions; texts to encode whose answers nobody reads, and bodies that stop half-way.

    A server with a process that hears no signal is told by SIGTERM in `test_bad_surroundings`.
    """
    body = json.dumps({"text": "Good morning. " * 70_000, "encoding": "gpt2", "spans": True}).encode()
    with running_app(tmp_path, also=TRAINING + CONVERSION) as other, ExitStack() as held:
        assert serves(app)
        assert serves(other)
        for _ in range(4):
            held.enter_context(send(other, "POST", "/api/v1/encode", body, length=len(body)))
        held.enter_context(send(other, "POST", "/api/v1/encode", body[:100_000], length=len(body)))
        held.enter_context(send(other, "PUT", "/_stcore/upload_file/s/f", b"--b\r\n", length=1_000_000))
        started = children(other.process.pid)
        let_work(other, "train")
        assert children(other.process.pid) == started, "a training is a thread"
        let_work(other, "convert")
        assert len(children(other.process.pid)) == len(started) + 2
        stop(other, signal.SIGINT)
