"""The app with three more routes, by which a benchmark opens sessions and starts work without a browser."""

import threading
from itertools import count
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from benchmarks.load.inputs import TRAINING_MB, corpus_lines, data_table
from playground.analysis.live_comparison import LiveComparison
from playground.catalog.registry import get_tokenizer
from playground.formats.offloading import iter_conversions, open_document
from playground.server.compare_session import CompareSession
from playground.server.editor.session import EditorSession
from playground.server.lifespan import lifespan
from playground.server.sessions import PageSession
from playground.training.corpora import Corpus
from playground.training.run.settings import RunSettings
from playground.training.run.training_run import TrainingRun
from playground.ui.middleware import middleware

ROOT = Path(__file__).resolve().parents[2]
SIX = ("gpt2", "p50k_base", "cl100k_base", "o200k_base", "utf8_bytes", "characters")
_OPEN: list[PageSession] = []  # a page holds its session; here nobody else does


def open_session(request: Request) -> JSONResponse:
    """Open a session of Tokenize, or one of Compare with six tokenizers, and return its address."""
    session: PageSession
    if request.path_params["page"] == "compare":
        session = CompareSession(LiveComparison("x"))
        session.use([get_tokenizer(name) for name in SIX])
    else:
        session = EditorSession(get_tokenizer("cl100k_base"))
    _OPEN.append(session)
    return JSONResponse({"url": session.url})


def start_work(request: Request) -> JSONResponse:
    """Train, or convert, again and again in a thread until the server ends."""
    work = {"train": _train, "convert": _convert}[request.path_params["what"]]
    threading.Thread(target=work, daemon=True).start()
    return JSONResponse({})


def _train() -> None:
    corpus = Corpus("prose", (corpus_lines(TRAINING_MB),))
    while True:
        TrainingRun(corpus, RunSettings(vocab_size=8_000)).wait()


def _convert() -> None:
    table = data_table()
    for number in count():
        document = open_document(f"{table}last,{number},last\n", "csv")
        for _ in iter_conversions(document.data):
            pass


if __name__ != "__main__":
    app = st.App(
        ROOT / "playground/ui/contents.py",
        lifespan=lifespan,
        routes=[
            Route("/load/session/{page}", open_session, methods=["POST"]),
            Route("/load/work/{what}", start_work, methods=["POST"]),
        ],
        middleware=middleware([], {}),
    )
