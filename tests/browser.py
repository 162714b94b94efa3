"""Find or install Chromium and Node.js for the tests; a machine without one fails with an error.

`python tests/browser.py` makes sure that there is one, as `make test` does; `find_chromium` only looks.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import playwright

#: Chromium without windows: a page costs it a fifth less.
SHELL = "chromium-headless-shell"
ON_PATH = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLAYWRIGHT = (sys.executable, "-m", "playwright")
#: Playwright's driver is a Node.js, which also runs the unit tests of the browser code.
PLAYWRIGHTS_NODE = str(
    Path(playwright.__file__).parent / "driver" / ("node.exe" if os.name == "nt" else "node")
)
#: For a browser without a sandbox, a graphics card or any traffic of its own, with no other machine to ask.
#: Its tabs share a process, and with it the app's compiled code: a page opens in a third of the time.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
    "--process-per-site",
]


class NoBrowserError(RuntimeError):
    """No Chromium starts, or no Node.js."""


def find_chromium() -> str:
    """Return the path of a Chromium that starts: $CHROMIUM, one on PATH, or Playwright's own.

    Raises NoBrowserError.
    """
    named = os.environ.get("CHROMIUM")
    candidates = [named] if named else [*map(shutil.which, ON_PATH), playwrights_own()]
    tried = [path for path in candidates if path]
    for path in tried:
        if starts(path):
            return path
    raise NoBrowserError(
        f"the browser tests need Chromium, and none starts (tried {', '.join(tried) or 'nothing'}; "
        f"looked on PATH for {', '.join(ON_PATH)}). Run `make test`, which installs one, "
        "or install one and name it in the variable CHROMIUM"
    )


def find_node() -> str:
    """Return the path of a Node.js that starts. Raises NoBrowserError."""
    if not starts(PLAYWRIGHTS_NODE):
        raise NoBrowserError(
            f"Playwright's Node.js does not start ({PLAYWRIGHTS_NODE}). Run `make test`, which mends that"
        )
    return PLAYWRIGHTS_NODE


def ensure_chromium() -> str:
    """Install one of Debian's packages where that is possible, or find Chromium, or install Playwright's own.

    Raises NoBrowserError.
    """
    ensure_driver()
    is_named = bool(os.environ.get("CHROMIUM"))
    if not is_named and can_install_packages():
        for package in (SHELL, "chromium"):  # an old Debian has only the second
            if not shutil.which(SHELL) and not shutil.which(package):
                install_package(package)
    try:
        return find_chromium()
    except NoBrowserError:
        if is_named:
            raise
    print("Installing Playwright's Chromium", flush=True)
    subprocess.run([*PLAYWRIGHT, "install", "chromium"], check=False)
    return find_chromium()


def ensure_driver() -> None:
    """Make Playwright's driver start: it is a Node.js that needs libatomic, which a small Debian lacks.

    Raises NoBrowserError.
    """
    if not starts(*PLAYWRIGHT) and can_install_packages():
        install_package("libatomic1")
    if not starts(*PLAYWRIGHT):
        answer = subprocess.run([*PLAYWRIGHT, "--version"], capture_output=True, text=True, check=False)
        raise NoBrowserError(f"Playwright's driver does not start: {answer.stderr.strip()}")


def can_install_packages() -> bool:
    """Whether the user is root on Debian."""
    return is_debian() and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_package(name: str) -> None:
    """Install Debian's package of this name; errors show when the program is used."""
    print(f"Installing Debian's {name} package", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    patience = ("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20")
    for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", name]):
        subprocess.run(
            ["apt-get", *patience, *command], env=environment, check=False, stdout=subprocess.DEVNULL
        )


def is_debian() -> bool:
    """Whether apt's `chromium` is a real package; Ubuntu's only points to a snap."""
    try:
        return platform.freedesktop_os_release().get("ID") == "debian"
    except OSError:
        return False


def playwrights_own() -> str | None:
    """Return the path of Playwright's own Chromium, if it is installed."""
    root = os.environ.setdefault(
        "PLAYWRIGHT_BROWSERS_PATH", str(Path(sys.prefix, "browsers"))
    )  # as in the Makefile
    patterns = (
        "chromium-*/chrome-linux*/chrome",
        "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
        "chromium-*/chrome-win*/chrome.exe",
    )
    paths = [path for pattern in patterns for path in sorted(Path(root).glob(pattern))]
    return str(paths[-1]) if paths else None


def starts(*command: str) -> bool:
    """Whether a program runs and prints its version."""
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0


if __name__ == "__main__":
    try:
        print(f"Chromium: {ensure_chromium()}")
    except NoBrowserError as error:
        sys.exit(f"error: {error}")
