"""Starting the app doesn't compile patterns that may never be needed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_WATCH = """
import importlib, pkgutil, re, sys, regex

def watched(module):
    compiled = module.compile
    def compile(*arguments, **options):
        caller = sys._getframe(1).f_globals["__name__"]
        if caller.startswith("playground."):
            print(caller, arguments[0])
        return compiled(*arguments, **options)
    module.compile = compile

watched(re)
watched(regex)
for room in ("core", "bpe", "files", "catalog", "training"):
    package = importlib.import_module(f"playground.{room}")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found.name)
print("imported", len([name for name in sys.modules if name.startswith("playground.")]))
"""


def test_no_pattern_is_compiled_at_import():
    done = subprocess.run(
        [sys.executable, "-c", _WATCH], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    *compiled, imported = done.stdout.splitlines()
    assert compiled == []
    assert int(imported.split()[1]) > 30
