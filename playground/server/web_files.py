"""The files of the browser code: their folder, what a module imports, and markup that names other files."""

import base64
from pathlib import Path

import regex

from playground.core.assets import ASSETS

WEB = Path(__file__).resolve().parents[1] / "web"
_IMPORT = regex.compile(r'(?m)(?<=^(?:import|export) (?:[^;"]* from )?")\.{1,2}/[^"]+(?=";)')
_NAMED_FILE = regex.compile(r"<!-- (\S+\.html) -->\n")


def imported_modules(module: str, folder: Path = WEB) -> list[str]:
    """Return a module and all modules that it imports, directly or not, as paths below the folder.

    >>> imported_modules("save/save_chart.js")[:3]
    ['save/save_chart.js', 'shared/element.js', 'shared/mount.js']
    """
    found = [module]
    for path in found:
        for target in _IMPORT.findall((folder / path).read_text(encoding="utf-8")):
            name = _path_of(target, folder / path, folder)
            if name not in found:
                found.append(name)
    return found


def movable_source(module: str) -> str:
    """Return the source of a module that imports others by their paths below `WEB`, from wherever it is.

    >>> [line for line in movable_source("shared/save.js").splitlines() if line.startswith("import")][0]
    'import { postJson } from "shared/wire.js";'
    """
    path = WEB / module
    return _IMPORT.sub(lambda found: _path_of(found[0], path, WEB), path.read_text(encoding="utf-8"))


def _path_of(target: str, importer: Path, folder: Path) -> str:
    return importer.parent.joinpath(target).resolve().relative_to(folder).as_posix()


def markup(html: str) -> str:
    """Return an HTML file below `playground/web`, with each `<!-- path.html -->` replaced by that file.

    >>> name = "merge_tree/merge_tree.html"
    >>> "textarea" in (WEB / name).read_text(), "textarea" in markup(name)
    (False, True)
    """
    return _NAMED_FILE.sub(lambda named: markup(named[1]), (WEB / html).read_text(encoding="utf-8"))


def look_css() -> str:
    """Return the sizes, colours and the font of marks that all components inherit."""
    marks = data_url(ASSETS / "fonts/marks.woff2", "font/woff2")
    font = f'@font-face {{ font-family: "Tessera Marks"; src: url("{marks}"); }}\n'
    return font + (WEB / "frame/look.css").read_text(encoding="utf-8")


def data_url(path: Path, kind: str) -> str:
    """Return a small file as a `data:` URL.

    >>> data_url(ASSETS / "favicon.svg", "image/svg+xml")[:30]
    'data:image/svg+xml;base64,PHN2'
    """
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
