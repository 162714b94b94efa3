"""What the command line takes: every command with its arguments.

It imports nothing of the other rooms but names, so that help is there at once; the work of a command is
`run` of the module of its name.
"""

import argparse
import os

from playground.training.kernel.tie_rules import TIE_RULES

DEFAULT_TOKENIZER = "o200k_base"
DEFAULT_PATTERN = "cl100k"
COMPARED_TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base")
_NAMES = (
    "an encoding such as cl100k_base or qwen3, a model such as gpt-4o, a model's folder "
    "or a tokenizer's file: tokenizer.json, tekken.json, .model, .tiktoken, vocab.txt, "
    "encoder.json with vocab.bpe beside it; "
    "a tokenizer_config.json beside it has its special tokens"
)


def build_parser() -> argparse.ArgumentParser:
    """One parser for all commands; `command` is the name of the one that was asked for.

    >>> build_parser().parse_args(["encode", "--json"]).command
    'encode'
    """
    parser = argparse.ArgumentParser(prog="python -m playground", description="Tokenizers in the shell.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for name, (summary, add_arguments) in COMMANDS.items():
        add_arguments(subparsers.add_parser(name, help=summary, description=summary))
    return parser


def _count(parser: argparse.ArgumentParser) -> None:
    _add_corpus(parser)
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{_NAMES}; may be given again: the files are read once (default: {DEFAULT_TOKENIZER})",
    )
    _add_pattern(parser)
    _add_threads(parser)
    _add_engine(parser)
    _add_special(parser)
    _add_json(parser, "; by_library: tokenizers that their own library ran, not the compiled encoder")


def _encode(parser: argparse.ArgumentParser) -> None:
    _add_corpus(parser)
    _add_tokenizer(parser)
    _add_special(parser)
    parser.add_argument(
        "--out",
        default="",
        metavar="FILE",
        help="write the ids of all files to a .npy, .bin or .parquet (an id a row), and beside it FILE.json, "
        "which says how they were made; stopped, the same command goes on",
    )
    parser.add_argument(
        "--separator", default="", metavar="TOKEN", help="a special token behind each document"
    )
    parser.add_argument("--validation", default="", metavar="FILE", help="a second file, for some documents")
    parser.add_argument(
        "--validation-share", type=_share, default=0.0, metavar="SHARE", help="how many of them, such as 0.01"
    )
    _add_threads(parser)
    _add_engine(parser)
    _add_json(parser)


def _decode(parser: argparse.ArgumentParser) -> None:
    _add_files(
        parser,
        "one file: ids apart by spaces or commas, a JSON list, or what `encode` writes by --json and --out",
    )
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        help=f"{_NAMES} (default: the one that a file of ids was made by, or {DEFAULT_TOKENIZER})",
    )
    _add_pattern(parser)
    _add_json(parser)


def _compare(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{_NAMES}; once for each tokenizer, the first is what the others are held against "
        f"(default: {', '.join(COMPARED_TOKENIZERS)})",
    )
    _add_pattern(parser)
    _add_json(parser)
    parser.epilog = (
        "A boundary is where a token begins or ends: `shared` is how many a tokenizer and the first have in "
        "common, of all that either has; the last line tells how many are in all tokenizers, in some, in one."
    )


def _health(parser: argparse.ArgumentParser) -> None:
    _add_tokenizer(parser)
    _add_json(parser)
    parser.epilog = (
        "What comes back as other tokens and is no part of a larger one is never used: many such are bad. So "
        "are special tokens that ordinary text gives. Tokens of no whole characters are usual."
    )


def _convert(parser: argparse.ArgumentParser) -> None:
    _add_tokenizer(parser)
    parser.add_argument(
        "--out",
        action="append",
        default=[],
        metavar="FILE",
        help="its ending chooses the format: .tiktoken, .json, .model, vocab.bpe; may be given again",
    )
    parser.add_argument(
        "--python", action="store_true", help="print the program that loads a file without a split pattern"
    )


def _chat(parser: argparse.ArgumentParser) -> None:
    _add_file(parser, "messages as JSON, or a request to an API with messages and tools")
    parser.add_argument(
        "--tokenizer",
        default=DEFAULT_TOKENIZER,
        metavar="NAME",
        help="a model such as gpt-4o, Qwen3 or DeepSeek-V3, its encoding, or a tokenizer's file with its "
        "tokenizer_config.json beside it (default: %(default)s)",
    )
    _add_pattern(parser)
    parser.add_argument(
        "--no-answer", action="store_true", help="end with the messages, not where the model answers"
    )
    parser.add_argument(
        "--variables", default="", metavar="JSON", help="what the template is told besides, as an object"
    )
    parser.add_argument("--text", action="store_true", help="print the text that the template makes")
    _add_json(parser)
    parser.epilog = "`tokens` are all of a message, and `template` those of them that the template adds."


def _formats(parser: argparse.ArgumentParser) -> None:
    _add_file(parser, "data")
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{_NAMES}; may be given again (default: {DEFAULT_TOKENIZER})",
    )
    _add_pattern(parser)
    parser.add_argument(
        "--from",
        dest="input_format",
        metavar="FORMAT",
        help="JSON, YAML, TOML, … (default: by the ending, or detected)",
    )
    parser.add_argument("--sort-keys", action="store_true", help="sort the keys of every object")
    parser.add_argument("--ascii", action="store_true", help="escape other characters where a format can")
    parser.add_argument("--minify", action="store_true", help="drop every space that a format lets go")
    parser.add_argument("--indent", type=int, choices=(2, 4), default=2, help="of YAML, XML, … (default: 2)")
    _add_json(parser)


def _train(parser: argparse.ArgumentParser) -> None:
    _add_corpus(parser)
    parser.add_argument(
        "--vocab-size",
        type=int,
        default=4096,
        metavar="N",
        help="256 bytes and a token a merge; special tokens come on top (default: %(default)s)",
    )
    parser.add_argument(
        "--pattern",
        metavar="PATTERN",
        help="where texts are cut before any merge, into pretokens: none, gpt2, cl100k, o200k, llama3, a "
        f"tokenizer's name or a regular expression (default: {DEFAULT_PATTERN}, or that of kept counts)",
    )
    parser.add_argument(
        "--ties",
        choices=list(TIE_RULES),
        default="first-seen",
        help="which of several pairs that occur equally often merges first: the one first seen in the text, "
        "the one of the lowest ids, or that of Hugging Face's library (default: %(default)s)",
    )
    parser.add_argument(
        "--min-count",
        type=int,
        default=1,
        metavar="N",
        help="a pair must occur so often (default: %(default)s)",
    )
    parser.add_argument(
        "--held-out",
        default="",
        metavar="SHARE|FILE",
        help="tell what the merges do to a text that they are not learned from: a share of the documents, "
        "as 0.05, or a file, folder or glob of its own",
    )
    parser.add_argument(
        "--keep-counts",
        default="",
        metavar="FILE",
        help="write the distinct pretokens with their counts to a .parquet; `train FILE` learns of it again",
    )
    parser.add_argument(
        "--max-pretokens",
        type=_positive,
        default=0,
        metavar="N",
        help="end where more are distinct, for memory follows them",
    )
    parser.add_argument(
        "--special",
        action="append",
        default=[],
        metavar="TOKEN",
        help="a special token to add behind all others, such as <|endoftext|>; may be given again",
    )
    parser.add_argument(
        "--out",
        action="append",
        default=[],
        metavar="FILE",
        help="its ending chooses the format: .model, .tiktoken, .json, vocab.bpe; may be given again",
    )
    parser.add_argument(
        "--json", action="store_true", help="print an event for each merge, a line of JSON each"
    )
    _add_threads(parser)
    _add_engine(parser)


def _add_file(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help=f"{what}; - or nothing: standard input"
    )


def _add_files(parser: argparse.ArgumentParser, what: str = "UTF-8 text") -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"{what}; - or nothing: standard input")


def _add_corpus(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="files, folders, globs and addresses (s3://, gs://, hf://) of UTF-8 text, also .gz and .zst; "
        "- or nothing: standard input",
    )
    parser.add_argument(
        "--field",
        default="",
        metavar="NAME",
        help="read this field of each row of .jsonl, .csv, .tsv and .parquet, each row a text of its own; of "
        ".jsonl alone also one within others, such as a.b, and messages[].content of each entry of a list "
        "(default: text of .parquet, and the whole of other files)",
    )
    parser.add_argument(
        "--skip-bad-rows",
        action="store_true",
        help="leave out rows without that field, with null or no text in it, and lines of .jsonl that are "
        "broken; a note counts them",
    )


def _add_threads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threads",
        type=_positive,
        default=min(4, os.cpu_count() or 1),
        metavar="N",
        help="how many work side by side; of --engine dask that many processes (default: %(default)s)",
    )


def _add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        choices=("threads", "dask"),
        default="threads",
        help="what does the work: threads of this process, or Dask, which requirements-scale.txt installs",
    )
    parser.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="of a Dask cluster, such as tcp://127.0.0.1:8786 (default: --threads processes of this machine)",
    )


def _positive(word: str) -> int:
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number


def _share(word: str) -> float:
    share = float(word)
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{word} is not between 0 and 1")
    return share


def _add_tokenizer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokenizer", default=DEFAULT_TOKENIZER, metavar="NAME", help=f"{_NAMES} (default: %(default)s)"
    )
    _add_pattern(parser)


def _add_pattern(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pattern",
        default="",
        metavar="PATTERN",
        help="split pattern of a file of ranks, which holds none (.tiktoken, vocab.bpe, merges.txt), as "
        f"`train --pattern` takes it (default: {DEFAULT_PATTERN})",
    )


def _add_special(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-special",
        action="store_true",
        help="text that spells a special token, such as <|endoftext|>, becomes that token",
    )


def _add_json(parser: argparse.ArgumentParser, more: str = "") -> None:
    parser.add_argument("--json", action="store_true", help=f"print JSON{more}")


#: What each does, and its arguments; it is done by the module of its name in `playground.shell`.
COMMANDS = {
    "count": ("count tokens, bytes and characters of files", _count),
    "encode": ("print the ids of a text, or write those of many files", _encode),
    "decode": ("print the text of ids", _decode),
    "compare": ("compare tokenizers on the same files", _compare),
    "formats": ("what data costs in JSON, YAML, CSV and other formats", _formats),
    "health": ("tokens of a vocabulary that a text hardly meets", _health),
    "convert": ("write a byte-level BPE as another library's file, with a proof", _convert),
    "chat": ("count the tokens of a chat in its model's template", _chat),
    "train": ("learn a vocabulary by byte-pair encoding", _train),
}
