"""`train --algorithm` with the algorithms of `training.algorithms.registry.ALGORITHMS` other than BPE."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.exports import Exports, exports_of
from playground.catalog.opened import OpenedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.files.proof import Export
from playground.shell.commands import Arguments
from playground.shell.terminal import print_error, print_note
from playground.shell.tokenizer_outputs import check_writable
from playground.shell.training_corpus import DEFAULT_PATTERN, read_corpus, read_texts
from playground.training.algorithms.learner import Algorithm, Learner, OptionValue, TrainingTexts
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import Corpus
from playground.training.pretoken_counts import count_pretokens

#: Settings that have an option of the shell of their own.
_SETTINGS = {"ties": "--ties", "min_count": "--min-count"}


def run_learner(arguments: Arguments) -> int:
    """Learn a vocabulary from the named files, write it, and print a summary."""
    algorithm = get_algorithm(arguments.algorithm)
    if arguments.keep_counts:
        raise InvalidInputError("--keep-counts is for --algorithm bpe; omit it")
    options = chosen_options(algorithm, [*_settings(algorithm, arguments), *arguments.option])
    paths = [Path(out) for out in arguments.out]
    for path in paths:
        check_writable(path)
    if not (paths or arguments.json):
        print_note("nothing will be written; add --out FILE, such as --out my.json")
    _rehearse(algorithm, options, paths)
    texts = read_texts(arguments, algorithm) if algorithm.needs_texts else read_corpus(arguments)
    learner = algorithm.start(texts, arguments.vocab_size, options)
    learner.tokenizer("untrained", tuple(arguments.special))  # raises for an invalid special token
    learner.advance()
    name = paths[0].stem if paths else algorithm.name
    tokenizer = learner.tokenizer(name, tuple(arguments.special))
    if arguments.json:
        for change in learner.changes():
            print(json.dumps(asdict(change) | {"raw": change.raw.hex()}))
    else:
        _print_summary(learner, tokenizer, texts)
    are_written = [_write(path, tokenizer, prints=not arguments.json) for path in paths]
    return 0 if all(are_written) else 1


def _settings(algorithm: Algorithm, arguments: Arguments) -> list[str]:
    """Return `--ties` and `--min-count` as options. Raises InvalidInputError if the algorithm has none."""
    names = {option.name for option in algorithm.options}
    found = []
    for name, typed in _SETTINGS.items():
        if (value := getattr(arguments, name)) is None:
            continue
        if name not in names:
            raise InvalidInputError(f"{algorithm.title} has no {typed}; omit it")
        found.append(f"{name}={value}")
    return found


def _rehearse(algorithm: Algorithm, options: Mapping[str, OptionValue], paths: Sequence[Path]) -> None:
    """Learn from a few words, so that a file name with an impossible ending fails before the work."""
    pattern = SplitPattern.named(DEFAULT_PATTERN)
    corpus = Corpus("", ("the cat sat on the mat\n" * 50, "there is a dog on the log\n" * 50))
    few = TrainingTexts(count_pretokens([corpus.texts], pattern), None, corpus, pattern)
    try:
        learner = algorithm.start(few, 400, options)
    except InvalidInputError:  # too few words for these options
        return
    learner.advance()
    exports = exports_of(learner.tokenizer("rehearsal"))
    for path in paths:
        if _with_ending(exports, path) is None:
            raise InvalidInputError(_cannot_write(path, exports))


def _print_summary(
    learner: Learner,
    tokenizer: OpenedTokenizer,
    texts: TrainingTexts,
) -> None:
    _, n_tokens, n_held_out = learner.curve()[-1].tolist()
    print(f"{counted(len(tokenizer.vocabulary), 'token')}: {learner.stop_reason}")
    for title, counts, n in (("", texts.pretokens, n_tokens), ("held out: ", texts.held_out, n_held_out)):
        if counts is not None:
            ratio = counts.n_bytes / max(n, 1)
            print(
                f"{title}{counted(counts.n_bytes, 'byte')} became {counted(n, 'token')}, "
                f"{ratio:.2f} bytes per token"
            )
    if cost := learner.removals().sentence:
        print(cost)
    last = {title: line[-1] for title, line in learner.lines().items()}
    if (gini := last.pop("Gini", None)) is not None:
        print("bytes per token:", ", ".join(f"{language} {ratio:.2f}" for language, ratio in last.items()))
        print(f"Gini coefficient of the languages: {gini:.3f}")


def _write(path: Path, tokenizer: OpenedTokenizer, *, prints: bool) -> bool:
    """Write the export with a path's ending and print its proof; return False after an error."""
    exports = exports_of(tokenizer)
    fitting = _with_ending(exports, path)
    if fitting is None:
        print_error(_cannot_write(path, exports))
        return False
    for file, text in fitting.every_file.items():
        target = path if file.endswith(path.suffix) else path.with_suffix(Path(file).suffix)
        try:
            target.write_bytes(text if isinstance(text, bytes) else text.encode())
        except OSError as error:
            print_error(f"cannot write {target}: {error.strerror}")
            return False
    if prints:
        print(f"{path}: {fitting.proof.sentence}")
    return True


def _cannot_write(path: Path, exports: Exports) -> str:
    files = [file for _, each in exports if isinstance(each, Export) for file in each.every_file]
    endings = " or ".join(sorted({Path(file).suffix for file in files}))
    of_libraries = {library: each for library, each in exports if isinstance(each, str)}
    reasons = "; ".join(f"for {library} {each}" for library, each in of_libraries.items())
    if len(set(of_libraries.values())) == 1:
        reasons = next(iter(of_libraries.values()))
    return f"cannot write {path}: " + (f"choose a name that ends in {endings}" if endings else reasons)


def _with_ending(exports: Exports, path: Path) -> Export | None:
    for _library, each in exports:
        if (
            isinstance(each, Export)
            and any(file.endswith(path.suffix) for file in each.every_file)
            and path.suffix
        ):
            return each
    return None


def chosen_options(algorithm: Algorithm, words: Sequence[str]) -> dict[str, OptionValue]:
    """Return an algorithm's options: its defaults, and the values of `--option NAME=VALUE`.

    >>> chosen_options(get_algorithm("unigram"), ["shrink=0.8"])["shrink"]
    0.8

    Raises InvalidInputError for an unknown name or a value that does not fit.
    """
    values = {option.name: option.default for option in algorithm.options}
    by_name = {option.name: option for option in algorithm.options}
    for word in words:
        name, _, value = word.partition("=")
        if name not in by_name:
            raise InvalidInputError(
                f"{algorithm.title} has no option {name!r}"
                + (f"; choose from {', '.join(by_name)}" if by_name else "")
            )
        option = by_name[name]
        if option.choices and value not in option.choices:
            raise InvalidInputError(f"--option {word}: choose from {', '.join(option.choices)}")
        try:
            match option.default:
                case bool():
                    values[name] = {"true": True, "false": False}[value.lower()]
                case int():
                    values[name] = int(value)
                case float():
                    values[name] = float(value)
                case _:
                    values[name] = value
        except (ValueError, KeyError):
            kind = "true or false" if isinstance(option.default, bool) else "a number"
            raise InvalidInputError(f"--option {word}: the value must be {kind}") from None
        number, lowest, highest = values[name], option.lowest, option.highest
        if isinstance(number, str) or lowest is None or highest is None:
            continue
        if not lowest <= number <= highest:
            raise InvalidInputError(f"--option {word}: choose {lowest:g} to {highest:g}")
    return values
