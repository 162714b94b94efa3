"""`xray`: what fills the context of a request or of each turn of a log, and why the cache missed."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

import click

from playground.analysis.chat_counts import chat_model_named, shown
from playground.analysis.chat_templates import JinjaTemplate
from playground.analysis.request_logs import Log, read_log
from playground.analysis.template_check import check_template, describe_template
from playground.analysis.xray import Piece, Report, ShownTurn, examine_log
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.corpora.text_files import read_text
from playground.shell.chat import DEFAULT_MODEL
from playground.shell.commands import JSON, POSITIVE, Arguments, command, flag
from playground.shell.corpus_arguments import files_argument
from playground.shell.terminal import aligned, print_note
from playground.shell.tokenizer_arguments import MODEL, loader_of, tokenizer_options

#: The most turns in a table; --json has all.
MAX_ROWS = 40
_KINDS = ("system", "tool", "user", "assistant", "reasoning", "call", "result", "image", "other", "frame")


@command(
    "xray",
    "tessera xray before.json after.json --check",
    "tessera xray --template Qwen3 --template ./my-model",
    notes="`shared` are the tokens that a turn has in common with the beginning of the previous turn.",
)
@files_argument(
    "A request, JSON Lines of requests, or a session file of Claude Code or Codex; several files are "
    "compared as a request each; - is standard input.",
    or_input=False,
)
@tokenizer_options("A model for requests that name none. Default: gpt-4o.", default="")
@flag("--check", "Exit with 1 if a turn doesn't begin with the turn before it.")
@click.option(
    "--template",
    multiple=True,
    type=MODEL,
    help="Check the chat template of a model or a folder with 54 conversations; repeat it to compare.",
)
@click.option(
    "--cut-at",
    type=POSITIVE,
    metavar="TOKENS",
    help="With --template: name the conversations whose last answer is lost when rows are cut here.",
)
@JSON
def run(arguments: Arguments) -> int:
    """Print the turns and the costliest parts. With --check, return 1 if a turn breaks the prefix."""
    if arguments.cut_at is not None and not arguments.template:
        raise InvalidInputError("--cut-at is for the conversations of --template")
    if arguments.template:
        if arguments.files:
            raise InvalidInputError(
                "--template checks templates with conversations of its own: leave FILE out"
            )
        return _check_templates(arguments)
    if not arguments.files:
        raise InvalidInputError("name a file, or a template with --template")
    logs = [read_log(read_text(file)) for file in arguments.files]
    log = logs[0] if len(logs) == 1 else _joined(logs, arguments.files)
    load = loader_of(arguments)
    default = chat_model_named(arguments.tokenizer or DEFAULT_MODEL, load)
    report = examine_log(log, default, load)
    print(json.dumps(answer_of(report)) if arguments.json else format_report(report))
    for note in (*report.how, *report.problems):
        print_note(note)
    if not any(turn.request.model for turn in log.turns) and not arguments.tokenizer:
        print_note(f"no request names a model: counted for {default.name}; --tokenizer chooses another")
    if arguments.check and report.broken:
        for n in report.broken:
            diff = report.turns[n].diff
            print_note(f"prefix broken at turn {n + 1}: {diff.place}: {diff.cause}" if diff else "")
        return 1
    return 0


def _check_templates(arguments: Arguments) -> int:
    """Print what each template does to the prefix; with --check, return 1 if one breaks it."""
    reports = []
    for name in arguments.template:
        model = chat_model_named(name, loader_of(arguments))
        if not isinstance(model.template, JinjaTemplate):
            raise InvalidInputError(f"{model.name} has no chat template of its own here")
        reports.append(check_template(model.template, cut_at=arguments.cut_at))
    if arguments.json:
        print(json.dumps([asdict(report) for report in reports]))
    else:
        print("\n".join(map(describe_template, reports)))
    return int(arguments.check and any(report.breaks for report in reports))


def _joined(logs: Sequence[Log], files: Sequence[str]) -> Log:
    """Return the requests of several files as the turns of one log. Raises InvalidInputError."""
    if any(len(log.turns) != 1 for log in logs):
        raise InvalidInputError("several files are compared as one request each; a log is a file of its own")
    return Log(
        "requests",
        tuple(replace(log.turns[0], title=file) for log, file in zip(logs, files, strict=True)),
        tuple(problem for log in logs for problem in log.problems),
    )


def answer_of(report: Report) -> dict[str, object]:
    """Return a report as JSON; `ranges` of a turn refer to `pieces`."""
    answer = asdict(report)
    for turn, row in zip(report.turns, answer["turns"], strict=True):
        row["prefix_kept"] = None if turn.diff is None else turn.diff.is_kept
    return answer


def format_report(report: Report) -> str:
    """Return tables: the turns by kind of part, what broke their prefix, and the costliest parts."""
    kinds = [kind for kind in _KINDS if any(piece.kind == kind for piece in report.pieces)]
    has_usage = any(turn.usage for turn in report.turns)
    reported = ("reported", "cached") if has_usage else ()
    rows: list[Sequence[str]] = [("turn", "tokens", "input $", *kinds, "shared", *reported, "when")]
    for number, turn in enumerate(report.turns[:MAX_ROWS], 1):
        rows.append(_row(number, turn, report.pieces, kinds, has_usage=has_usage))
    lines = [f"{report.form}: {counted(len(report.turns), 'turn')}", aligned(rows, names=[len(rows[0]) - 1])]
    if len(report.turns) > MAX_ROWS:
        lines.append(f"… and {len(report.turns) - MAX_ROWS:,} more turns; --json has all")
    if missing := report.turns[-1].unknown:
        lines.append(f"not in the last turn: {'; '.join(missing)}")
    for n in report.broken:
        diff = report.turns[n].diff
        if diff is not None:
            lost = f", ${diff.lost_dollars:.4f} more than from the cache" if diff.lost_dollars else ""
            lines.append(f"turn {n + 1} breaks the prefix at {diff.place}: {diff.cause}")
            lines.append(f"  {diff.n_shared:,} tokens shared, {diff.n_lost:,} sent again{lost}")
            if diff.old or diff.new:
                lines.append(f"  - {json.dumps(diff.before[-30:] + diff.old, ensure_ascii=False)}")
                lines.append(f"  + {json.dumps(diff.before[-30:] + diff.new, ensure_ascii=False)}")
    costly: list[Sequence[str]] = [("tokens", "in all", "$", "part")]
    for one in report.costliest:
        piece = report.pieces[one.piece]
        advice = f" ({one.advice})" if one.advice else ""
        dollars = "" if one.dollars is None else f"{one.dollars:.4f}"
        label = piece.label if piece.kind == piece.label else f"{piece.kind} {piece.label}"
        costly.append(
            (shown(piece.n_tokens, piece.mark), f"{one.n_tokens_in_all:,}", dollars, f"{label}{advice}")
        )
    return "\n".join([*lines, "the costliest parts:", aligned(costly, names=[3])])


def _row(
    number: int, turn: ShownTurn, pieces: Sequence[Piece], kinds: Sequence[str], *, has_usage: bool
) -> Sequence[str]:
    sums = dict.fromkeys(kinds, 0)
    for first, last in turn.ranges:
        for piece in pieces[first:last]:
            sums[piece.kind] += piece.n_tokens
    shared = "" if turn.diff is None else f"{turn.diff.n_shared:,}"
    dollars = "" if turn.dollars is None else f"{turn.dollars:.4f}"
    numbers = (turn.usage.n_input, turn.usage.n_cache_read) if turn.usage else (None, None)
    usage = ["" if n is None else f"{n:,}" for n in numbers] if has_usage else []
    return (
        f"{number:,}",
        shown(turn.n_tokens, turn.mark),
        dollars,
        *(f"{n:,}" for n in sums.values()),
        shared,
        *usage,
        turn.title,
    )
