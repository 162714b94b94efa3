"""`serve`: start the app, print its address on one line, and open it in a browser where there is one."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

import click

from playground.core.errors import InvalidInputError
from playground.core.home import HOME
from playground.core.wording import quoted
from playground.shell.commands import Arguments, Whole, command, flag
from playground.shell.tokenizer_arguments import MODELS_OPTION, local_places

#: Seconds between two looks at whether the server answers.
_POLL_SECONDS = 0.1


@command(
    "serve",
    "tessera serve --port 8600 --models ~/tokenizers",
    "tessera serve --host 0.0.0.0 --allow-host class.example",
    notes="Ctrl-C ends the server.",
)
@click.option("--host", default="localhost", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
@click.option("--port", type=Whole(1, 65_535), default=8501, show_default=True, help="Port to listen on.")
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A host name by which other machines reach the app, such as class.example; repeatable.",
)
@MODELS_OPTION
@flag("--no-browser", "Print the address without opening it.")
def run(arguments: Arguments) -> int:
    """Serve until Ctrl-C; the status is 0, or 1 if Streamlit cannot start. Raises InvalidInputError."""
    if importlib.util.find_spec("streamlit") is None:
        raise ModuleNotFoundError("no Streamlit", name="streamlit")  # the shell says which extra has it
    local_places(arguments.models)  # a folder that is missing is an error now, and not in the app
    _check_port(arguments.host, arguments.port)
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "streamlit", "run", str(HOME / "streamlit_app.py")),
            *("--server.address", arguments.host, "--server.port", str(arguments.port)),
            *("--server.headless", "true"),
        ],
        env=_environment(arguments),
        stdout=subprocess.DEVNULL,  # the banner of Streamlit; its errors are on standard error
    )
    try:
        if _answers(server, arguments):
            address = f"http://{_visible(arguments.host)}:{arguments.port}"
            print(f"Tessera: {address}", flush=True)
            if not arguments.no_browser and _has_desktop():
                import webbrowser  # imported late: a server in a container needs none

                webbrowser.open(address)
        return 1 if server.wait() else 0
    except KeyboardInterrupt:  # how a server is ended
        return 0
    finally:
        server.terminate()
        server.wait()


def _check_port(host: str, port: int) -> None:
    """Raise InvalidInputError unless a server may listen there."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except (socket.gaierror, UnicodeError) as error:
        raise InvalidInputError(f"--host {quoted(host)} is not an address of this machine") from error
    except OSError as error:
        reason = error.strerror or error
        raise InvalidInputError(f"cannot serve on {host}:{port} ({reason}); choose another --port") from error


def _environment(arguments: Arguments) -> dict[str, str]:
    """Return the environment of the server: what the options say goes before what is set."""
    environment = dict(os.environ)
    environment.pop("OPENBLAS_NUM_THREADS", None)
    if arguments.models:
        environment["TESSERA_MODELS"] = os.pathsep.join(map(os.path.abspath, arguments.models))
    if arguments.allow_host:
        environment["TESSERA_ALLOW_HOST"] = ",".join(arguments.allow_host)
    return environment


def _answers(server: subprocess.Popen[bytes], arguments: Arguments) -> bool:
    """Wait until the server answers; False if it ends before."""
    health = f"http://{_visible(arguments.host)}:{arguments.port}/_stcore/health"
    while server.poll() is None:
        try:
            with urlopen(health, timeout=5):
                return True
        except (URLError, OSError):
            time.sleep(_POLL_SECONDS)
    return False


def _visible(host: str) -> str:
    """Return how this machine's browser names the host.

    >>> _visible("0.0.0.0"), _visible("::1"), _visible("localhost")
    ('localhost', '[::1]', 'localhost')
    """
    if host in {"", "0.0.0.0", "::"}:
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _has_desktop() -> bool:
    """Whether a browser window can be opened."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
