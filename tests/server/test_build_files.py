"""What a browser loads to run Python."""

import io
import zipfile

from starlette.applications import Starlette
from starlette.testclient import TestClient

from playground.server.build_files import BUILD_ROUTES, FILES, MEGABYTES, PYTHON_PATH


def test_the_page_says_how_much_a_browser_loads_and_python_finds_its_library_in_it():
    with TestClient(Starlette(routes=BUILD_ROUTES)) as client:
        answers = {name: client.get(f"{PYTHON_PATH}/{name}") for name in FILES}
    sent = [int(answer.headers["content-length"]) for answer in answers.values()]
    assert round(sum(sent) / 1e6, 1) == MEGABYTES
    with zipfile.ZipFile(io.BytesIO(answers["python_stdlib.zip"].content)) as library:
        assert b"def loads(" in library.read("json/__init__.py")
