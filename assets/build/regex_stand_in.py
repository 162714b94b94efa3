"""A stand-in for the package `regex` in the browser: Python's `re`, with \\p{L}, \\p{N}, and Unicode's white space."""

import re
from re import *  # what isn't replaced below: escape, flags, Match, Pattern

#: The members of each class, as they stand between [ and ]; tiktoken's engine knows the same characters.
CLASSES = {}
_PART = re.compile(r"\\([pP])\{(\w+)\}|\\([sS])|\\.|\[\^?\]?|\]", re.DOTALL)


def _translate(pattern):
    if not isinstance(pattern, str):
        return pattern
    is_in_class, parts, end = False, [], 0
    for found in _PART.finditer(pattern):
        parts.append(pattern[end : found.start()])
        end = found.end()
        letter, name, space = found.groups()
        if letter or space:
            if (name or "s") not in CLASSES:
                raise re.error(f"this page has no \\p{{{name}}}; use \\p{{L}}, \\p{{N}} or \\s")
            is_not = letter == "P" or space == "S"
            if is_not and is_in_class:
                raise re.error(
                    f"this page has no {found[0]} inside [ ]; use [^…] with the lowercase letter"
                )
            parts.append(CLASSES[name or "s"] if is_in_class else f"[{'^' * is_not}{CLASSES[name or 's']}]")
            continue
        parts.append(found[0])
        is_in_class = found[0] != "]" and (found[0][0] == "[" or is_in_class)
    return "".join([*parts, pattern[end:]])


def compile(pattern, flags=0):
    return re.compile(_translate(pattern), flags)


def findall(pattern, string, flags=0):
    return re.findall(_translate(pattern), string, flags)


def finditer(pattern, string, flags=0):
    return re.finditer(_translate(pattern), string, flags)


def split(pattern, string, maxsplit=0, flags=0):
    return re.split(_translate(pattern), string, maxsplit=maxsplit, flags=flags)


def sub(pattern, repl, string, count=0, flags=0):
    return re.sub(_translate(pattern), repl, string, count=count, flags=flags)


def search(pattern, string, flags=0):
    return re.search(_translate(pattern), string, flags)


def match(pattern, string, flags=0):
    return re.match(_translate(pattern), string, flags)


def fullmatch(pattern, string, flags=0):
    return re.fullmatch(_translate(pattern), string, flags)
