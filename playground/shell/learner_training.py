"""`train --algorithm unigram`, `mingram` and `wordpiece`: learn by the contract of `training.algorithms`."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.files.library_file import LibraryFile
from playground.shell.terminal import print_note
from playground.shell.tokenizer_outputs import check_writable
from playground.training.algorithms.learner import Algorithm, OptionValue, TrainingTexts
from playground.training.algorithms.unigram import MINGRAM, UNIGRAM
from playground.training.algorithms.wordpiece import WORDPIECE
from playground.training.pretoken_counts import PretokenCounts

LEARNERS = {algorithm.name: algorithm for algorithm in (UNIGRAM, MINGRAM, WORDPIECE)}
#: A vocabulary of WordPiece is a vocab.txt, the others are a tokenizer.json.
_ENDINGS = {"wordpiece": ".txt", "mingram": ".json", "unigram": ".json"}
Corpus = tuple[PretokenCounts, PretokenCounts | None, SplitPattern]


def run_learner(arguments: argparse.Namespace, read: Callable[[argparse.Namespace], Corpus]) -> int:
    """Learn a vocabulary from the corpus that `read` counts, write it, and print a summary."""
    if arguments.json or arguments.keep_counts:
        raise InvalidInputError("--json and --keep-counts are for --algorithm bpe; omit them")
    algorithm = LEARNERS[arguments.algorithm]
    options = chosen_options(algorithm, arguments.option)
    paths = [Path(out) for out in arguments.out]
    for path in paths:
        check_writable(path)
        if path.suffix != (ending := _ENDINGS[algorithm.name]):
            raise InvalidInputError(
                f"cannot write {path}: for {algorithm.title}, choose a name that ends in {ending}"
            )
    if not paths:
        print_note("nothing will be written; add --out FILE, such as --out my.json")
    pretokens, held_out, pattern = read(arguments)
    learner = algorithm.start(
        TrainingTexts(pretokens, held_out, None, pattern), arguments.vocab_size, options
    )
    learner.advance()
    _, n_tokens, n_held_out = learner.curve()[-1].tolist()
    name = paths[0].stem if paths else algorithm.name
    tokenizer = learner.tokenizer(name, tuple(arguments.special))
    print(f"{counted(len(tokenizer.vocabulary), 'token')}: {learner.stop_reason}")
    for title, counts, n in (("", pretokens, n_tokens), ("held out: ", held_out, n_held_out)):
        if counts is not None:
            ratio = counts.n_bytes / max(n, 1)
            print(
                f"{title}{counted(counts.n_bytes, 'byte')} became {counted(n, 'token')}, "
                f"{ratio:.2f} bytes per token"
            )
    model = tokenizer.model
    if not isinstance(model, LibraryFile):
        raise TypeError(f"{algorithm.name} gives no file of a library")
    for path in paths:
        path.write_bytes(model.raw)
        print(f"{path}: written as a {model.kind}.")
    return 0


def chosen_options(algorithm: Algorithm, words: Sequence[str]) -> dict[str, OptionValue]:
    """Return an algorithm's options: its defaults, and the values of `--option NAME=VALUE`.

    >>> chosen_options(UNIGRAM, ["shrink=0.8"])["shrink"]
    0.8

    Raises InvalidInputError for an unknown name or a value that does not fit.
    """
    values = {option.name: option.default for option in algorithm.options}
    by_name = {option.name: option for option in algorithm.options}
    for word in words:
        name, _, value = word.partition("=")
        if name not in by_name:
            raise InvalidInputError(
                f"{algorithm.title} has no option {name!r}; choose from {', '.join(by_name)}"
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
