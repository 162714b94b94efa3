"""`count` of folders: the files that `.gitignore` leaves, grouped by language, folder or file."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.corpora.code_languages import language_of
from playground.corpora.sources import Source, find_sources
from playground.corpora.streams import open_stream, unheard
from playground.corpora.token_counts import N_CORES, Counted, FileCount
from playground.corpora.tree import Walk, walk_tree
from playground.corpora.tree_counts import characters_of, count_tree
from playground.shell.tables import Cell, format_table
from playground.shell.terminal import print_note, printable, read_bar


class Tree:
    """The files of all named folders, and what is left out of the sum."""

    def __init__(self, names: Sequence[str], *, obeys_gitignore: bool) -> None:
        self.walk = Walk()
        self.inside: dict[str, str] = {}  # path to the path below the named folder
        sizes: dict[str, int] = {}
        found: dict[str, Source] = {}
        for name in names:
            if os.path.isdir(name):
                for file in walk_tree(name, self.walk, obeys_gitignore=obeys_gitignore):
                    self.inside[file.path], sizes[file.path] = file.inside, file.n_bytes
                    found.setdefault(file.place, Source(file.path))
            else:
                for source in find_sources([name]):
                    self.inside[source.path], sizes[source.path] = source.path, source.n_bytes
                    found.setdefault(source.place, source)
        self.sources = [*found.values()]
        self.sizes = [sizes[source.path] for source in self.sources]

    def count(
        self, tokenizers: Sequence[Tokenizer], *, allow_special: bool = False, n_cores: int = N_CORES
    ) -> Counted:
        """Return the counts; binary files are added to what is left out."""
        with read_bar(self.sources, "Counting", n_bytes=sum(self.sizes)) as on_read:
            result = count_tree(
                self.sources,
                self.sizes,
                tokenizers,
                allow_special=allow_special,
                n_cores=n_cores,
                on_read=on_read,
            )
        self.walk.left_out["binary file"] = result.n_binary
        done = result.counted
        errors = [*self.walk.errors, *done.errors]
        for path, message in result.not_utf8.items():
            if self.inside[path] == path:  # named itself
                errors.append(message)
            else:
                self.walk.left_out["non-UTF-8 file"] += 1
        return Counted(done.files, errors, done.by_library)

    def read(self, source: Source) -> bytes | None:
        """Return the text of a file in UTF-8, unpacked; None if it is binary, and counted as left out.

        Raises InvalidInputError, also for a binary file that is named itself.
        """
        path = source.path
        raw = None
        if source.kind != "parquet":
            with open_stream(source, unheard) as stream:
                raw = stream.read()
        if raw is not None and characters_of(raw, path) is not None:
            return raw
        if self.inside[path] == path:
            raise InvalidInputError(f"{path}: it is a binary file; name files of text")
        self.walk.left_out["binary file"] += 1
        return None

    def note_left_out(self) -> None:
        """Print the notes of the walk, and one with everything that is left out, except errors."""
        for note in self.walk.notes:
            print_note(note)
        note_left_out(self.walk.left_out)


def note_left_out(left_out: Counter[str]) -> None:
    """Print the number of files that are left out, by the reason."""
    parts = [
        f"{n:,} {kind}" if kind == "ignored" else counted(n, kind) for kind, n in left_out.most_common() if n
    ]
    if parts:
        print_note(f"left out: {', '.join(parts)}")


def grouped(
    counts: Iterable[FileCount], key: Callable[[str], str], n_tokenizers: int
) -> list[tuple[FileCount, int]]:
    """Return the sum and the number of files of each group, most tokens first."""
    groups: dict[str, list[FileCount]] = defaultdict(list)
    for count in counts:
        groups[key(count.file)].append(count)
    sums = [(FileCount.total_of(name, group, n_tokenizers), len(group)) for name, group in groups.items()]
    return sorted(sums, key=lambda one: (-one[0].tokens[0], one[0].file))


def key_of(by: str, inside: dict[str, str]) -> Callable[[str], str]:
    """Return the function that names the group of a file."""
    if by == "language":
        return language_of
    if by == "folder":
        return lambda path: inside[path].partition(os.sep)[0] if os.sep in inside[path] else "."
    return lambda path: path


def format_groups(
    groups: Sequence[tuple[FileCount, int]],
    total: FileCount,
    tokenizers: Sequence[str],
    *,
    by: str,
    top: int = 0,
    style: str = "",
) -> str:
    """Return a table of groups, and a total; of more than `top` groups the last row but one is the rest."""
    n_files = sum(n for _, n in groups)
    shown = list(groups)
    if top and len(groups) > top:
        rest = groups[top:]
        others = FileCount.total_of(f"({len(rest):,} more)", [one for one, _ in rest], len(tokenizers))
        shown = [*groups[:top], (others, sum(n for _, n in rest))]
    names = tokenizers if len(tokenizers) > 1 else ["tokens"]
    headings = [*names, "share", "files", "bytes", by]
    rows: list[tuple[Cell, ...]] = [
        (*one.tokens, _share(one.tokens[0], total.tokens[0]), n, one.bytes, one.file)
        for one, n in [*shown, (total, n_files)]
    ]
    return format_table(headings, rows, style=style, names=[len(headings) - 1])


def format_tree(counts: Iterable[FileCount], inside: dict[str, str], *, top: int = 0) -> str:
    """Return folders and files as an indented tree with their tokens, most tokens first.

    >>> counts = [FileCount("a/b.py", (3,), 9, 9, 1), FileCount("c.py", (1,), 2, 2, 1)]
    >>> print(format_tree(counts, {"a/b.py": "a/b.py", "c.py": "c.py"}))
    4  .
    3    a/
    3      b.py
    1    c.py
    """
    tokens: Counter[tuple[str, ...]] = Counter()
    children: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for count in counts:
        parts = tuple(inside[count.file].strip(os.sep).split(os.sep))
        for depth in range(len(parts) + 1):
            tokens[parts[:depth]] += count.tokens[0]
            if depth:
                children[parts[: depth - 1]].add(parts[:depth])
    rows: list[tuple[str, str]] = []

    def add(place: tuple[str, ...]) -> None:
        name = (place[-1] if place else ".") + ("/" if place and children[place] else "")
        rows.append((f"{tokens[place]:,}", "  " * len(place) + name))
        below = sorted(children[place], key=lambda child: (-tokens[child], child))
        for child in below[: top or None]:
            add(child)
        if top and (rest := below[top:]):
            n_rest = sum(tokens[child] for child in rest)
            rows.append((f"{n_rest:,}", "  " * (len(place) + 1) + f"({len(rest):,} more)"))

    add(())
    width = max(len(number) for number, _ in rows)
    return "\n".join(f"{number:>{width}}  {printable(name)}" for number, name in rows)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "—"
