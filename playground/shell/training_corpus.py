"""The corpus of `train`: counts of pretokens, or whole texts for algorithms that need them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.corpora.corpus_pretokens import count_with_held_out
from playground.corpora.documents import iter_chunks, iter_rows
from playground.corpora.object_stores import is_address
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import STANDARD_INPUT
from playground.shell.commands import Arguments
from playground.shell.corpus_arguments import engine_of, named_sources, note_left_out
from playground.shell.terminal import print_note, read_bar
from playground.shell.tokenizer_arguments import chosen_pattern
from playground.training.algorithms.learner import Algorithm, TrainingTexts
from playground.training.corpora import Corpus, split_held_out
from playground.training.pretoken_counts import PretokenCounts, count_pretokens

_MAX_HELD_OUT = 0.5
DEFAULT_PATTERN = "cl100k"


def read_corpus(arguments: Arguments, pattern: SplitPattern | None = None) -> TrainingTexts:
    """Count the pretokens of the files, or read saved counts; `pattern` replaces `--pattern`.

    Raises InvalidInputError.
    """
    share = _held_out_share(arguments.held_out)
    sources = named_sources(arguments.files, arguments)
    held_out_sources = _held_out_sources(arguments) if share is None else []
    sources = _without_held_out(sources, held_out_sources, arguments.held_out)
    pattern = chosen_pattern(arguments.pattern) if arguments.pattern else pattern
    if kept := _saved_counts(sources, pattern):
        if share:
            raise InvalidInputError(
                f"{sources[0].path}: no share of saved counts can be held out; name a file: --held-out FILE"
            )
        training, pattern = kept
    else:
        pattern = pattern or SplitPattern.named(DEFAULT_PATTERN)
        training, held_out = _count(sources, pattern, share or 0.0, arguments)
        if share:
            if not (training.n_bytes and held_out.n_bytes):
                side = "held out" if training.n_bytes else "left to train on"
                raise InvalidInputError(
                    f"--held-out {arguments.held_out}: nothing is {side}, because the corpus is too small or "
                    "can't be cut; name a file: --held-out FILE"
                )
            return TrainingTexts(training, held_out, None, pattern)
    if not training.n_bytes:
        raise InvalidInputError("there is no text to train on: all input is empty")
    if share is not None:
        return TrainingTexts(training, None, None, pattern)
    saved_held_out = _saved_counts(held_out_sources, pattern)
    held_out = saved_held_out[0] if saved_held_out else _count(held_out_sources, pattern, 0.0, arguments)[0]
    if not held_out.n_bytes:
        raise InvalidInputError(f"--held-out {arguments.held_out}: this file has no text")
    return TrainingTexts(training, held_out, None, pattern)


def _held_out_share(held_out: str) -> float | None:
    """Return the share to hold out (0 for none), or None if a file is named. Raises InvalidInputError."""
    try:
        share = float(held_out or 0)
    except ValueError:
        return None
    if os.path.lexists(held_out):
        return None
    if not 0 <= share <= _MAX_HELD_OUT or (held_out and not share):
        raise InvalidInputError(
            f"--held-out {held_out}: give a share above 0 and up to {_MAX_HELD_OUT}, or a file"
        )
    return share


def _held_out_sources(arguments: Arguments) -> list[Source]:
    """Return the files of `--held-out`. Raises InvalidInputError for a missing one, before any work."""
    sources = named_sources([arguments.held_out], arguments)
    for source in sources:
        if not (source.path == STANDARD_INPUT or is_address(source.path) or os.path.lexists(source.path)):
            raise InvalidInputError(f"--held-out {source.path}: No such file or directory")
    return sources


def _without_held_out(sources: Sequence[Source], held_out: Sequence[Source], name: str) -> list[Source]:
    """Return the files without those held out. Raises InvalidInputError if none is left."""
    places = {source.place for source in held_out}
    kept = [source for source in sources if source.place not in places]
    if not kept:
        raise InvalidInputError(f"--held-out {name}: no other file is left to train on; name more files")
    if n_left_out := len(sources) - len(kept):
        print_note(
            f"--held-out {name}: {counted(n_left_out, 'file')} of {len(sources):,} not used for training"
        )
    return kept


def _saved_counts(
    sources: Sequence[Source], pattern: SplitPattern | None
) -> tuple[PretokenCounts, SplitPattern] | None:
    """Return saved counts and their pattern, or None if the files are texts. Raises InvalidInputError."""
    if all(source.kind != "parquet" for source in sources):
        return None
    from playground.corpora.kept_counts import are_kept_counts, read_counts  # imported late: it loads pyarrow

    kept = [source.path for source in sources if are_kept_counts(source.path)]
    if not kept:
        return None
    if len(sources) > 1:
        raise InvalidInputError(f"{kept[0]}: saved counts can't be combined with other files")
    counts, own_pattern = read_counts(kept[0])
    if pattern and pattern != own_pattern:
        raise InvalidInputError(
            f"{kept[0]}: these counts were made with the pattern {own_pattern.name}, not {pattern.name}; "
            "omit --pattern"
        )
    return counts, own_pattern


def _count(
    sources: Sequence[Source], pattern: SplitPattern, share: float, arguments: Arguments
) -> tuple[PretokenCounts, PretokenCounts]:
    limit = arguments.max_pretokens
    with engine_of(arguments) as client, read_bar(sources, "Reading") as on_read:
        if client is None:
            found = count_with_held_out(
                sources, pattern, share, n_threads=arguments.threads, max_pretokens=limit, on_read=on_read
            )
        else:
            from playground.corpora import dask_engine  # imported late: threads don't need it

            found = dask_engine.count_with_held_out(
                client, sources, pattern, share, max_pretokens=limit, on_read=on_read
            )
    note_left_out(found.n_left_out)
    return found.training, found.held_out


#: Whole texts are kept in memory, in which a character takes up to four bytes.
_MAX_CHARACTERS = 200_000_000


def read_texts(arguments: Arguments, algorithm: Algorithm) -> TrainingTexts:
    """Read whole texts and count their pretokens; each document is a text.

    With `algorithm.needs_languages` each language is a text instead, its documents joined by line breaks. Of
    several named files and folders, each is a language; of one folder or glob, each file and folder in it.
    Raises InvalidInputError.
    """
    if arguments.engine == "dask":
        raise InvalidInputError(
            f"{algorithm.title} learns from whole texts, which Dask can't count in parts; omit --engine dask"
        )
    share = _held_out_share(arguments.held_out)
    held_out_sources = _held_out_sources(arguments) if share is None else []
    groups = _languages(arguments) if algorithm.needs_languages else {"": _sources(arguments)}
    named = [source for group in groups.values() for source in group]
    kept = {source.place for source in _without_held_out(named, held_out_sources, arguments.held_out)}
    groups = {
        name: found for name, group in groups.items() if (found := [s for s in group if s.place in kept])
    }
    if algorithm.needs_languages and len(groups) < 2:
        raise InvalidInputError(
            f"{algorithm.title} needs at least two languages, and there is {len(groups)}: name a file or "
            "folder for each, or one folder with a file or folder for each"
        )
    pattern = chosen_pattern(arguments.pattern or DEFAULT_PATTERN)
    sources = [source for group in groups.values() for source in group]
    with read_bar([*sources, *held_out_sources], "Reading") as on_read:
        texts = [_documents(group, algorithm, on_read) for group in groups.values()]
        held_out_texts = _documents(held_out_sources, algorithm, on_read)
    if algorithm.needs_languages:
        corpus = Corpus("", tuple(map("\n".join, texts)), names=tuple(groups))
    else:
        corpus = Corpus("", tuple(text for group in texts for text in group))
    if not any(map(str.strip, corpus.texts)):
        raise InvalidInputError("there is no text to train on: all input is empty")
    training, held_out = split_held_out(corpus, share or 0.0)
    held_out = tuple(held_out_texts) or held_out
    if arguments.held_out and not any(held_out):
        raise InvalidInputError(f"--held-out {arguments.held_out}: nothing is held out; name a larger file")
    return TrainingTexts(
        count_pretokens(training, pattern),
        count_pretokens(held_out, pattern) if held_out else None,
        corpus,
        pattern,
        share or 0.0,
        Corpus("", tuple(held_out_texts)) if held_out_texts else None,
    )


def _sources(arguments: Arguments) -> list[Source]:
    """Return the named files. Raises InvalidInputError for saved counts."""
    sources = named_sources(arguments.files, arguments)
    if any(source.kind == "parquet" for source in sources):
        from playground.corpora.kept_counts import are_kept_counts  # imported late: it loads pyarrow

        for source in sources:
            if source.kind == "parquet" and are_kept_counts(source.path):
                raise InvalidInputError(
                    f"{source.path}: these are saved counts, and --algorithm {arguments.algorithm} learns "
                    "from whole texts; name those"
                )
    return sources


def _languages(arguments: Arguments) -> dict[str, list[Source]]:
    """Return the files of each language, by the name of its file or folder."""
    names, groups = arguments.files, dict[str, list[Source]]()
    for source in _sources(arguments):
        within = next((name for name in names if _parts_below(source.path, name)), "")
        if len(names) == 1 and within:
            language = _parts_below(source.path, within)[0]
        else:
            language = PurePath(within or source.path).name
        groups.setdefault(language.split(".")[0] or language, []).append(source)
    return groups


def _parts_below(path: str, folder: str) -> tuple[str, ...]:
    """Return the names of folders and file between a folder and a file in it; () for a file elsewhere.

    >>> _parts_below("texts/de/a.txt", "texts/"), _parts_below("a.txt", "texts")
    (('de', 'a.txt'), ())
    """
    file = PurePath(path)
    return file.relative_to(folder).parts if file.is_relative_to(folder) else ()


def _documents(sources: Sequence[Source], algorithm: Algorithm, on_read: OnRead) -> list[str]:
    """Return the text of each file and row. Raises InvalidInputError if they are too long together."""
    found, n_characters = [], 0
    for text in _iter_documents(sources, on_read):
        n_characters += len(text)
        if n_characters > _MAX_CHARACTERS:
            raise InvalidInputError(
                f"the texts have more than {_MAX_CHARACTERS:,} characters, and {algorithm.title} keeps them "
                "in memory; name fewer files"
            )
        found.append(text)
    return found


def _iter_documents(sources: Iterable[Source], on_read: OnRead) -> Iterator[str]:
    n_left_out = 0
    for source in sources:
        if source.kind == "text":
            text = "".join(chunk.raw.decode() for chunk in iter_chunks(source, on_read))
            yield text.removeprefix("\ufeff")
        else:
            for rows in iter_rows(source, on_read):
                n_left_out += rows.n_left_out
                yield from rows.texts
    note_left_out(n_left_out)
