"""Lock files: texts with their ids that pin tokenizers, for `tessera lock` and `tessera check`.

A lock file is JSON with a text and its ids in each line. Ids of a text are compared with special tokens
recognized; the vocabulary and the order of its merges are compared by a hash.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from playground.catalog.local_models import read_with_companions, tokenizer_file_in
from playground.core.errors import InvalidInputError
from playground.core.home import VERSION
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, json_kind
from playground.drift.steps import ids_of_texts
from playground.drift.texts import (
    FRAGMENTS,
    in_order_of_merges,
    names_of_added,
    simplicity,
    spread,
    texts_of_tokens,
)
from playground.training.parallel_texts import load_parallel_texts

#: The version of the file's format.
FORMAT = 1
DEFAULT_NAME = "tessera.lock.json"
#: In a lock file: added tokens, own tokens and those in one text, and characters in each language.
_N_ADDED, _N_OWN, _N_IN_TEXT, _N_CHARACTERS = 16, 240, 6, 16

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Locked:
    """A tokenizer in a lock file.

    `source` is the name by which it was opened; with `files`, which maps names to SHA-256, it is a path
    relative to the lock file. `pattern` is the option that a file of ranks needs. The ids of a text are None
    if the tokenizer refuses it.
    """

    name: str
    source: str
    pattern: str
    n_tokens: int
    vocabulary: str
    texts: tuple[tuple[str, Ids | None], ...]
    files: Mapping[str, str] = field(default_factory=dict)


class Changed(NamedTuple):
    """A locked text whose ids have changed; None instead of ids if the tokenizer refuses the text."""

    text: str
    locked: Ids | None
    now: Ids | None


class Checked(NamedTuple):
    """A locked tokenizer, as it is now: the texts whose ids changed, the shortest first, and what else did.

    `error` says why it cannot be opened, or is "".
    """

    locked: Locked
    changed: tuple[Changed, ...] = ()
    n_tokens: int = 0
    has_other_vocabulary: bool = False
    changed_files: tuple[str, ...] = ()
    error: str = ""

    @property
    def is_same(self) -> bool:
        """Whether the vocabulary and the ids of all texts are the locked ones."""
        return not (self.error or self.changed or self.has_other_vocabulary)

    @property
    def sentence(self) -> str:
        """What was found, as a sentence."""
        n_texts = len(self.locked.texts)
        if self.error:
            return f"It can’t be opened: {self.error}"
        if self.changed:
            others = "has other ids" if len(self.changed) == 1 else "have other ids"
            return f"{len(self.changed):,} of {counted(n_texts, 'text')} {others}."
        if self.has_other_vocabulary:
            return (
                f"{counted(n_texts, 'text')} have the locked ids, but the vocabulary or the order of its "
                f"merges has changed ({self.n_tokens:,} tokens now, {self.locked.n_tokens:,} locked)."
            )
        note = f", though {' and '.join(self.changed_files)} changed" if self.changed_files else ""
        return f"{counted(n_texts, 'text')} and the vocabulary are as locked{note}."


def lock(tokenizer: Tokenizer, source: str, *, pattern: str = "", folder: Path) -> Locked:
    """Return a tokenizer for a lock file in a folder; `source` is the name or path that opened it."""
    texts = _locked_texts(tokenizer)
    files = _files_of(Path(source))
    if files:
        source = _relative(Path(source), folder)
    vocabulary = tokenizer.vocabulary
    return Locked(tokenizer.name, source, pattern, len(vocabulary), _hash_of(tokenizer), texts, files)


def written(locked: Sequence[Locked]) -> str:
    """Return the text of a lock file."""
    tokenizers = ",\n".join(map(_written, locked))
    head = f'{{\n"tessera_lock": {FORMAT},\n"tessera": {json.dumps(VERSION)},\n'
    return f'{head}"tokenizers": [\n{tokenizers}\n]\n}}\n'


def read(text: str, name: str) -> list[Locked]:
    """Return the tokenizers in the text of a lock file, called `name`. Raises InvalidInputError."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{name} is not valid JSON: {error}") from None
    if not isinstance(document, dict) or "tessera_lock" not in document:
        raise InvalidInputError(f"{name} is no lock file; `tessera lock TOKENIZER` writes one")
    if document["tessera_lock"] != FORMAT:
        raise InvalidInputError(
            f"{name} has the format {document['tessera_lock']!r}, and this version reads {FORMAT}; lock "
            "again, or use the version of Tessera that wrote it"
        )
    entries = document.get("tokenizers")
    if not isinstance(entries, list) or not entries:
        raise InvalidInputError(f"{name} has no tokenizers; lock again")
    return [_read(entry, f"{name}, tokenizer {place}") for place, entry in enumerate(entries, start=1)]


def source_from(locked: Locked, folder: Path) -> str:
    """Return the name or path to open, for a lock file in a folder."""
    return str(folder / locked.source) if locked.files else locked.source


def check(locked: Locked, tokenizer: Tokenizer, folder: Path) -> Checked:
    """Return what changed of a locked tokenizer since, for a lock file in a folder."""
    files = _files_of(folder / locked.source) if locked.files else {}
    texts = [text for text, _ids in locked.texts]
    now = [None if ids is None else tuple(ids) for ids in ids_of_texts(tokenizer, texts)]
    changed = [
        Changed(text, ids, found)
        for (text, ids), found in zip(locked.texts, now, strict=True)
        if ids != found
    ]
    return Checked(
        locked,
        tuple(sorted(changed, key=lambda each: simplicity(each.text))),
        len(tokenizer.vocabulary),
        _hash_of(tokenizer) != locked.vocabulary,
        tuple(
            sorted(name for name in {**locked.files, **files} if locked.files.get(name) != files.get(name))
        ),
    )


def _locked_texts(tokenizer: Tokenizer) -> tuple[tuple[str, Ids | None], ...]:
    """Return the texts that pin a tokenizer with their ids: of each kind as many as its bytes allow."""
    found: dict[str, Ids | None] = {}
    for texts, n_bytes in _texts_by_kind(tokenizer):
        for text, ids in zip(texts, ids_of_texts(tokenizer, texts), strict=True):
            locked = None if ids is None else tuple(ids)
            n_bytes -= len(f"    {_line(text, locked)},\n".encode())
            if n_bytes < 0:
                break
            found[text] = locked
    return tuple(found.items())


def _texts_by_kind(tokenizer: Tokenizer) -> Iterator[tuple[list[str], int]]:
    """Yield texts of added tokens, all kinds of characters, own tokens, and languages, with their bytes."""
    names = spread([*names_of_added(tokenizer)], _N_ADDED)
    yield [text for name in names for text in (name, f"a {name} b")], 2_000
    yield [f"a{fragment}b {fragment}1{fragment}" for fragment in FRAGMENTS], 12_500
    own = spread(texts_of_tokens(tokenizer.vocabulary), _N_OWN)
    yield ["".join(own[first : first + _N_IN_TEXT]) for first in range(0, len(own), _N_IN_TEXT)], 2_500
    yield [language.articles[0][:_N_CHARACTERS] for language in load_parallel_texts()], 2_500


def _hash_of(tokenizer: Tokenizer) -> str:
    """Return the SHA-256 of the ids and bytes of all tokens, and of the order in which they merge."""
    vocabulary = tokenizer.vocabulary
    digest = hashlib.sha256(vocabulary.ids.astype("<u4").tobytes())
    for raws in (vocabulary.raws_of(vocabulary.ids), in_order_of_merges(vocabulary)):
        digest.update(b"".join(len(raw).to_bytes(4, "little") + raw for raw in raws))
    return digest.hexdigest()


def _files_of(source: Path) -> dict[str, str]:
    """Return the SHA-256 of each of a tokenizer's files; nothing if `source` is no file or model's folder."""
    path = source if source.is_file() else tokenizer_file_in(source)
    if path is None:
        return {}
    return {name: hashlib.sha256(raw).hexdigest() for name, raw in read_with_companions(path).items()}


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive of Windows
        return path.resolve().as_posix()


def _written(locked: Locked) -> str:
    about: dict[str, object] = {
        "name": locked.name,
        "source": locked.source,
        **({"pattern": locked.pattern} if locked.pattern else {}),
        **({"files": dict(locked.files)} if locked.files else {}),
        "tokens": locked.n_tokens,
        "vocabulary": locked.vocabulary,
    }
    lines = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in about.items())
    texts = ",\n".join(f"    {_line(text, ids)}" for text, ids in locked.texts)
    return f'{{\n{lines}  "texts": [\n{texts}\n  ]\n}}'


def _line(text: str, ids: Ids | None) -> str:
    """Return a text and its ids as JSON, with escapes for what is not printable."""
    shown = "".join(
        c if c.isprintable() else json.dumps(c)[1:-1] for c in json.dumps(text, ensure_ascii=False)
    )
    return f"[{shown}, {json.dumps(ids, separators=(',', ':'))}]"


def _read(entry: object, place: str) -> Locked:
    if not isinstance(entry, dict):
        raise InvalidInputError(f"{place} must be an object, not {json_kind(entry)}; lock again")

    def get(key: str, kind: type, default: object = None) -> Any:
        value = entry.get(key, default)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InvalidInputError(f"{place} has no usable {key!r}; lock again")
        return value

    texts: list[tuple[str, Ids | None]] = []
    for pair in get("texts", list):
        match pair:
            case [str(text), None]:
                texts.append((text, None))
            case [str(text), [*ids]] if all(type(each) is int for each in ids):
                texts.append((text, tuple(ids)))
            case _:
                raise InvalidInputError(f"{place}: each of its texts must be a text and its ids; lock again")
    return Locked(
        get("name", str), get("source", str), get("pattern", str, ""), get("tokens", int),
        get("vocabulary", str), tuple(texts), get("files", dict, {}),
    )  # fmt: skip
