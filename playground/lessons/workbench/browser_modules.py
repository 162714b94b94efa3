"""The modules and files that the browser's Python has beside the standard library."""

import inspect
import json
from functools import cache

import numpy as np

from playground.bpe.character_categories import CATEGORIES, character_categories
from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER, to_gpt2_characters
from playground.core.assets import read_packed, read_text
from playground.lessons.workbench import harness

#: White space in Unicode; Python's `re` adds four control characters.
_WHITE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def browser_modules() -> dict[str, str]:
    """Return the sources of the modules by file name: the harness, and a stand-in for `regex`.

    >>> sorted(browser_modules())
    ['harness.py', 'regex.py']
    """
    classes = {"L": _members("L"), "N": _members("N"), "s": _WHITE_SPACE}
    stand_in = read_text("build/regex_stand_in.py").replace("CLASSES = {}", f"CLASSES = {classes!r}", 1)
    return {"harness.py": inspect.getsource(harness), "regex.py": stand_in}


@cache
def gpt2_files() -> dict[str, str]:
    """Return GPT-2's `vocab.bpe` and `encoder.json` by name.

    >>> files = gpt2_files()
    >>> files["vocab.bpe"].splitlines()[1], json.loads(files["encoder.json"])["Ġt"]
    ('Ġ t', 256)
    """
    vocab_bpe = read_packed("vocabularies/vocab.bpe.gz").decode("utf-8")
    merged = [line.replace(" ", "") for line in vocab_bpe.splitlines()[1:]]
    letters = [to_gpt2_characters(bytes([byte])) for byte in GPT2_BYTE_ORDER]
    encoder = {token: i for i, token in enumerate([*letters, *merged, "<|endoftext|>"])}
    return {"vocab.bpe": vocab_bpe, "encoder.json": json.dumps(encoder)}


def _members(general: str) -> str:
    """Return the characters of a general category, such as "L", as runs of a character class.

    >>> _members("N")[:7]
    '0-9²-³¹'
    """
    wanted = [number for number, name in enumerate(CATEGORIES) if name.startswith(general)]
    codes = np.flatnonzero(np.isin(character_categories(), wanted))
    runs = np.split(codes, np.flatnonzero(np.diff(codes) != 1) + 1)
    return "".join(chr(run[0]) if len(run) == 1 else f"{chr(run[0])}-{chr(run[-1])}" for run in runs)
