"""`HOME`, the folder that contains `assets/`, `pages/` and `streamlit_app.py`.

In a checkout it is the top folder. A wheel has those files in `playground/home/`, where pyproject.toml maps
them, so that a package called `pages` or `assets` is never installed beside others.
"""

from pathlib import Path

#: The folder of the package.
PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = PACKAGE / "home"
#: The folder of everything that is not a module of the package.
HOME = _INSTALLED if _INSTALLED.is_dir() else PACKAGE.parent
VERSION = "1.3.0"
#: What an installed package is called on PyPI.
DISTRIBUTION = "tessera-playground"
