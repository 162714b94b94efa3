"""`train`: learn a vocabulary from files, standard input or saved counts, and write it for other tools."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from playground.analysis.language_counts import article_text
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.wording import counted
from playground.files.registry import format_of
from playground.shell.commands import FILE, POSITIVE, Arguments, Word, command, flag, out_option
from playground.shell.corpus_arguments import CORPUS_OPTIONS, ENGINE_OPTIONS
from playground.shell.interruption import STATUS
from playground.shell.terminal import part_bar, print_error, print_note
from playground.shell.tokenizer_arguments import PATTERN, TOKENIZER, chosen_pattern, chosen_tokenizer
from playground.shell.tokenizer_outputs import check_writable, note_lost
from playground.shell.trained_files import export_to, write_tokenizer
from playground.shell.training_corpus import DEFAULT_PATTERN, read_corpus, read_texts
from playground.shell.training_options import chosen_options
from playground.training.algorithms.base import base_of, count_tokens
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.continued import continue_bpe
from playground.training.algorithms.learner import Algorithm, Learner, OptionValue, TrainingTexts
from playground.training.algorithms.pruned import prune
from playground.training.algorithms.registry import ALGORITHMS, get_algorithm
from playground.training.corpora import Corpus
from playground.training.merges import TIE_RULES
from playground.training.pretoken_counts import count_pretokens

#: Options that only some algorithms have.
_ONLY_FOR = {
    "base": ("--base", ("continue", "prune")),
    "new_tokens": ("--new-tokens", ("continue",)),
    "ids": ("--ids", ("prune",)),
    "keep_counts": ("--keep-counts", ("bpe",)),
}
#: The vocabulary size unless one is given.
_VOCAB_SIZE = 4096
#: The most steps between updates of the bar and checks for Ctrl-C.
_SLICE = 512
#: The texts of a rehearsal.
_FEW = ("the cat sat on the mat\n" * 50, "there is a dog on the log\n" * 50)


@command(
    "train",
    "tessera train corpus.txt --vocab-size 8192 --out my.json",
    "tessera train corpus/ --field text --special '<|endoftext|>' --out my.tiktoken",
)
@CORPUS_OPTIONS
@click.option(
    "--algorithm",
    default="bpe",
    show_default=True,
    type=Word("name", lambda: ALGORITHMS),
    help=f"One of {', '.join(ALGORITHMS)}; continue adds --new-tokens tokens to --base, and prune removes "
    "the tokens of --base that the text does not use.",
)
@click.option(
    "--option",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the algorithm, such as shrink=0.8 for unigram; repeatable (an unknown name lists "
    "those of the algorithm).",
)
@click.option(
    "--base",
    default="",
    type=TOKENIZER,
    help="The byte-level BPE tokenizer that continue and prune start from: a name, a model or a file.",
)
@click.option("--new-tokens", type=POSITIVE, help="Number of tokens that continue adds. Default: 1000.")
@click.option(
    "--ids",
    type=click.Choice(["kept", "renumbered"]),
    help="Whether prune keeps the ids of the tokens that stay, or numbers them again without gaps. Default: "
    "kept.",
)
@click.option(
    "--vocab-size",
    type=int,
    metavar="N",
    help="Vocabulary size without special tokens; for byte-level algorithms, 256 bytes and the merges. "
    f"Default: {_VOCAB_SIZE}.",
)
@click.option(
    "--pattern",
    type=PATTERN,
    help="Split pattern, which cuts texts into pretokens before any merge: none, gpt2, cl100k, o200k, "
    f"llama3, a tokenizer's name or a regular expression. Default: {DEFAULT_PATTERN}, or the saved one.",
)
@click.option(
    "--ties",
    type=click.Choice(TIE_RULES),
    help="Which of several equally frequent pairs is merged first: the first in the text, the one with the "
    "lowest ids, or Hugging Face's choice. Default: first-seen.",
)
@click.option(
    "--min-count",
    type=int,
    metavar="N",
    help="Least count of a pair to be merged, or of a token that prune keeps. Default: 1.",
)
@click.option(
    "--held-out",
    type=FILE,
    default="",
    metavar="SHARE|FILE",
    help="Also report compression of held-out text: a share of the documents, such as 0.05, or a file, "
    "folder or glob.",
)
@click.option(
    "--keep-counts",
    type=FILE,
    default="",
    help="Write the pretoken counts to a .parquet file, from which `tessera train FILE` can train again.",
)
@click.option(
    "--max-pretokens",
    type=POSITIVE,
    help="Stop if there are more distinct pretokens than this, to bound memory.",
)
@click.option(
    "--special",
    multiple=True,
    metavar="TOKEN",
    help="A special token to add after all others, such as <|endoftext|>; repeatable.",
)
@out_option(
    "File to write, in the format of its ending: .model, .tiktoken, .json or vocab.bpe; repeatable.",
    multiple=True,
)
@flag("--json", "Print each merge, or each token that is added or removed, as a line of JSON.")
@ENGINE_OPTIONS
def run(arguments: Arguments) -> int:
    """Train, write the requested files, and print a summary."""
    algorithm = get_algorithm(arguments.algorithm)
    for name, (typed, users) in _ONLY_FOR.items():
        if getattr(arguments, name) and algorithm.name not in users:
            raise InvalidInputError(f"{typed} is for --algorithm {' and '.join(users)}; omit it")
    paths = [Path(out) for out in arguments.out]
    if not (paths or arguments.keep_counts or arguments.json):
        print_note("nothing will be written; add --out FILE, such as --out my.json")
    if algorithm.needs_base:
        return _run_from_base(arguments, paths)
    options = _options(algorithm, arguments)
    pattern = chosen_pattern(arguments.pattern or DEFAULT_PATTERN)
    _rehearse(algorithm, pattern, options, arguments, paths)
    saved_counts = Path(arguments.keep_counts) if arguments.keep_counts else None
    for path in (*paths, *([saved_counts] if saved_counts else [])):
        check_writable(path)
    if saved_counts and saved_counts.suffix != ".parquet":
        raise InvalidInputError(
            f"cannot write {saved_counts}: the name of a file of counts must end in .parquet"
        )
    try:
        texts = read_texts(arguments, algorithm) if algorithm.needs_texts else read_corpus(arguments)
    except KeyboardInterrupt:
        print_note("stopped; nothing was written")
        return STATUS
    if texts.pattern != pattern:  # that of saved counts
        _rehearse(algorithm, texts.pattern, options, arguments, paths)
    if saved_counts:
        from playground.corpora.kept_counts import write_counts

        write_counts(saved_counts, texts.pretokens, texts.pattern)
    learner = algorithm.start(texts, _vocab_size(arguments), options)
    was_interrupted = _learn(learner, prints_events=arguments.json)
    tokenizer = learner.tokenizer(paths[0].stem if paths else algorithm.name, tuple(arguments.special))
    ending = "interrupted" if was_interrupted else learner.stop_reason
    summary = [] if arguments.json else _summary(algorithm, learner, texts, ending)
    is_written = _write_outputs(paths, tokenizer, summary, arguments.pattern)
    return 1 if not is_written else STATUS if was_interrupted else 0


def _vocab_size(arguments: Arguments) -> int:
    return _VOCAB_SIZE if arguments.vocab_size is None else arguments.vocab_size


def _options(algorithm: Algorithm, arguments: Arguments) -> dict[str, OptionValue]:
    """Return the options of the algorithm; `--ties` and `--min-count` are two of them.

    Raises InvalidInputError for an option that the algorithm does not have.
    """
    options = chosen_options(algorithm, arguments.option)
    if algorithm.name == "bpe":
        options["min_count"] = 1
    for name, value in (("ties", arguments.ties), ("min_count", arguments.min_count)):
        if value is not None and name not in options:
            raise InvalidInputError(f"{algorithm.title} has no --{name.replace('_', '-')}; omit it")
        options |= {} if value is None else {name: value}
    return options


def _rehearse(
    algorithm: Algorithm,
    pattern: SplitPattern,
    options: Mapping[str, OptionValue],
    arguments: Arguments,
    paths: Sequence[Path],
) -> None:
    """Begin with a few words, so that invalid options and impossible exports fail before the work.

    Raises: InvalidInputError, CannotHoldError.
    """
    corpus = Corpus("", _FEW)
    few = TrainingTexts(count_pretokens([_FEW], pattern), None, corpus, pattern)
    try:
        learner = algorithm.start(
            few, _vocab_size(arguments) if algorithm.begins_with_bytes else 400, options
        )
    except InvalidInputError:
        if algorithm.begins_with_bytes:
            raise
        return  # too few words for these options
    if not algorithm.begins_with_bytes:
        learner.advance()
    untrained = learner.tokenizer("rehearsal", tuple(arguments.special))
    for path in paths:
        export_to(path, untrained)


def _write_outputs(
    paths: Sequence[Path], tokenizer: OpenedTokenizer, summary: Sequence[str], typed_pattern: str | None
) -> bool:
    """Write the files and, with a summary, print it and their proofs; return whether all were written."""
    lines, errors, written = [*summary], [], []
    for path in paths:
        try:
            lines.append(f"{path}: {write_tokenizer(path, tokenizer)}")
        except PlaygroundError as error:  # the other files are still written
            errors.append(str(error))
        else:
            written.append(path)
    if summary:
        print("\n".join(lines))
    sys.stdout.flush()
    if isinstance(tokenizer, TrainedTokenizer):
        pattern = tokenizer.model.pattern
        how = (typed_pattern or pattern.expression) if pattern.name == "custom" else pattern.name
        for path in written:
            note_lost(path, format_of(path.name), tokenizer.special_tokens, how)
    for message in errors:
        print_error(message)
    return not errors


def _run_from_base(arguments: Arguments, paths: Sequence[Path]) -> int:
    """Continue or prune the tokenizer of `--base`, write the requested files, and print a summary."""
    if not arguments.base:
        raise InvalidInputError(
            f"--algorithm {arguments.algorithm} starts from a tokenizer; name it: --base cl100k_base"
        )
    for name, reason in (
        ("ties", f"--ties is not for --algorithm {arguments.algorithm}; omit it"),
        ("vocab_size", "the vocabulary of --base is where it begins; omit --vocab-size"),
        ("option", f"--algorithm {arguments.algorithm} takes no --option; use --min-count and the like"),
        ("pattern", "the split pattern of --base is used; omit --pattern"),
        ("special", "the special tokens of --base are kept, and none is added; omit --special"),
    ):
        if getattr(arguments, name):
            raise InvalidInputError(reason)
    for path in paths:
        format_of(path.name)
        check_writable(path)
    base = base_of(chosen_tokenizer(arguments.base, ""))
    pattern = SplitPattern.of(base.split_pattern)
    texts = read_corpus(arguments, pattern)
    pretokens, held_out = texts.pretokens, texts.held_out
    min_count = 1 if arguments.min_count is None else arguments.min_count
    if arguments.algorithm == "continue":
        n_new = arguments.new_tokens or 1000
        added = continue_bpe(base, pretokens, n_tokens=n_new, min_count=min_count)
        tokenizer = added.tokenizer
        lines = [
            f"{counted(len(added.added), 'token')} added to {base.name}"
            + (": no further pair occurs often enough" if len(added.added) < n_new else "")
        ]
        if added.n_avoided:
            lines.append(
                f"{counted(added.n_avoided, 'pair')} left alone: {base.name} has a token of the same bytes, "
                "so the new token could never be reached"
            )
        if added.unreachable:
            lines.append(f"never reached by the encoder: {', '.join(map(str, added.unreachable))}")
        changes = [
            {"id": merge.id, "raw": merge.raw.hex(), "left": merge.left, "right": merge.right,
             "count": merge.count}
            for merge in added.added
        ]  # fmt: skip
    else:
        pruned = prune(base, pretokens, min_count=min_count, ids=arguments.ids or "kept")
        tokenizer = pruned.tokenizer
        lines = [
            f"{counted(len(pruned.removed), 'token')} removed from {base.name}, "
            f"{counted(len(tokenizer.vocabulary), 'token')} stay, "
            f"{len(pruned.scaffold):,} of them only as parts of longer tokens"
        ]
        changes = [{"id": token_id, "raw": raw.hex()} for token_id, raw in pruned.removed.items()]
    english = count_pretokens([article_text("eng", None)], pattern)
    for title, counts in (("the text", pretokens), ("held out", held_out), ("English (UDHR)", english)):
        if counts is not None:
            before, after = count_tokens(base, counts), count_tokens(tokenizer, counts)
            lines.append(f"{title}: {before:,} tokens before, {after:,} after ({after / before - 1:+.1%})")
    if arguments.json:
        print("\n".join(map(json.dumps, changes)), end="\n" if changes else "")
    return 0 if _write_outputs(paths, tokenizer, [] if arguments.json else lines, None) else 1


def _learn(learner: Learner, *, prints_events: bool) -> bool:
    """Take all steps; return True if Ctrl-C ended them early."""
    n_wanted = max(1, learner.n_steps_wanted)
    try:
        with part_bar("Learning") as on_progress:
            while not learner.stop_reason:
                first = learner.n_steps
                learner.advance(max(1, min(_SLICE, n_wanted // 100)))
                if prints_events:
                    _print_events(learner, first)
                on_progress(min(learner.n_steps / n_wanted, 1.0), "")
    except KeyboardInterrupt:
        return True
    return False


def _print_events(learner: Learner, first: int) -> None:
    """Print each merge of BPE, or each token that another algorithm added or removed, as a line of JSON."""
    if isinstance(learner, BpeLearner):
        events = [merge._asdict() for merge in learner.merges(first)]
    else:
        events = list(map(asdict, learner.changes(first)))
    for event in events:
        print(json.dumps(event | {"raw": event["raw"].hex()}))


def _summary(algorithm: Algorithm, learner: Learner, texts: TrainingTexts, ending: str) -> list[str]:
    n_vocab, n_tokens, n_held_out = learner.curve()[-1].tolist()
    lines = [f"{counted(learner.n_steps, algorithm.step)}, {counted(n_vocab, 'token')}: {ending}"]
    for title, counts, n in (("", texts.pretokens, n_tokens), ("held out: ", texts.held_out, n_held_out)):
        if counts:
            n_bytes, ratio = counted(counts.n_bytes, "byte"), counts.n_bytes / max(n, 1)
            lines.append(f"{title}{n_bytes} became {counted(n, 'token')}, {ratio:.2f} bytes per token")
    if texts.pretokens.n_unmatched_bytes:
        lines.append(
            f"{counted(texts.pretokens.n_unmatched_bytes, 'byte')} matched no alternative of the pattern "
            "and became pretokens of their own"
        )
    lines += filter(None, [learner.removals().sentence])
    last = {title: line[-1] for title, line in learner.lines().items()}
    if (gini := last.pop("Gini", None)) is not None:
        ratios = ", ".join(f"{language} {ratio:.2f}" for language, ratio in last.items())
        lines += [f"bytes per token: {ratios}", f"Gini coefficient of the languages: {gini:.3f}"]
    return lines
