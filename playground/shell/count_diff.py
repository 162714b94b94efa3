"""`count --diff REV`: the tokens that changed files gained or lost since the branch left a revision."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.corpora.cores import encoders_of
from playground.corpora.text_files import STANDARD_INPUT
from playground.corpora.tree import is_data
from playground.shell.commands import Arguments
from playground.shell.count import check_limit
from playground.shell.count_tree import note_left_out
from playground.shell.tables import Cell, format_table
from playground.shell.terminal import print_error, print_note


class Change(NamedTuple):
    """A changed file, and its tokens before and after for each tokenizer."""

    file: str
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def added(self) -> tuple[int, ...]:
        """Tokens that the file has more than before."""
        return tuple(after - before for before, after in zip(self.before, self.after, strict=True))


def run(arguments: Arguments, tokenizers: Sequence[Tokenizer]) -> int:
    """Print the changed files with their tokens, and the sum. Raises InvalidInputError."""
    top = _git("rev-parse", "--show-toplevel").decode(errors="surrogateescape").strip()
    _git("rev-parse", "--verify", "--quiet", f"{arguments.diff}^{{commit}}")
    base = _git("merge-base", arguments.diff, "HEAD").decode().strip()
    paths = ["--", *([file for file in arguments.files if file != STANDARD_INPUT] or ["."])]
    changed = _names(_git("diff", "--name-only", "--no-renames", "-z", base, *paths))
    new = _names(_git("ls-files", "-o", "--exclude-standard", "--full-name", "-z", *paths))
    encoders = encoders_of(tokenizers, allow_special=arguments.allow_special)
    changes: list[Change] = []
    errors: list[str] = []
    left_out: Counter[str] = Counter()
    for name in sorted({*changed, *new}):
        is_named = os.path.join(top, name) in map(os.path.abspath, arguments.files)
        if is_data(name) and not is_named:
            left_out["data file"] += 1
            continue
        try:
            sides = [_before(base, name), _after(top, name)]
            if any(b"\0" in raw[:8000] for raw in sides):
                left_out["binary file"] += 1
                continue
            before, after = (tuple(one.lengths([raw.decode()])[0] for one in encoders) for raw in sides)
        except UnicodeDecodeError as error:
            if is_named:
                errors.append(f"{name}: not UTF-8 ({error.reason})")
            else:
                left_out["non-UTF-8 file"] += 1
        except (PlaygroundError, OSError) as error:
            errors.append(f"{name}: {error}")
        else:
            changes.append(Change(name, before, after))
    names = [tokenizer.name for tokenizer in tokenizers]
    n_tokenizers = range(len(names))
    total = Change(
        "total",
        tuple(sum(change.before[k] for change in changes) for k in n_tokenizers),
        tuple(sum(change.after[k] for change in changes) for k in n_tokenizers),
    )
    if arguments.json:
        answer = {
            "tokenizers": names,
            "base": base,
            "files": [_figures(change, names) for change in changes],
            "total": _figures(total, names),
            "left_out": left_out,
            "errors": errors,
        }
        print(json.dumps(answer, indent=2))
    else:
        style = "csv" if arguments.csv else "markdown" if arguments.markdown else ""
        shown = sorted(changes, key=lambda change: (-abs(change.added[0]), change.file))
        if arguments.top and len(shown) > arguments.top:
            rest = shown[arguments.top :]
            shown = shown[: arguments.top]
            print_note(f"{len(rest):,} more changed files are in the total")
        titles = names if len(names) > 1 else [""]
        headings = [f"{title} {what}".strip() for title in titles for what in ("before", "after", "change")]
        rows = [_row(change, style) for change in [*shown, total]]
        print(format_table([*headings, "file"], rows, style=style, names=[len(headings)]))
    note_left_out(left_out)
    for message in errors:
        print_error(message)
    return 1 if errors else check_limit(total.added, names, arguments.max_tokens)


def _row(change: Change, style: str) -> tuple[Cell, ...]:
    figures: list[Cell] = []
    for before, after, added in zip(change.before, change.after, change.added, strict=True):
        figures += [before, after, added if style == "csv" else f"{added:+,}"]
    return (*figures, change.file)


def _figures(change: Change, names: Sequence[str]) -> dict[str, object]:
    return {
        "file": change.file,
        "before": dict(zip(names, change.before, strict=True)),
        "after": dict(zip(names, change.after, strict=True)),
        "change": dict(zip(names, change.added, strict=True)),
    }


def _names(listed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _before(base: str, name: str) -> bytes:
    """Return a file as it was, or b"" for a new one."""
    done = subprocess.run(["git", "show", f"{base}:{name}"], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else b""


def _after(top: str, name: str) -> bytes:
    """Return a file as it is, or b"" for a deleted one or one that is no regular file."""
    path = os.path.join(top, name)
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def _git(*words: str) -> bytes:
    """Return what git prints. Raises InvalidInputError."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise InvalidInputError("--diff needs git, which is not installed") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        fatal = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
        said = [*fatal, *lines, f"there is no revision {words[-1].removesuffix('^{commit}')}"]
        raise InvalidInputError(f"--diff: {said[0]}")
    return done.stdout
