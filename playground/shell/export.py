"""`export`: save a figure of the app as a page, one HTML file."""

from collections.abc import Callable
from pathlib import Path

import click

from playground.analysis.comparison import compared_model
from playground.analysis.live_comparison import LiveComparison
from playground.catalog.registry import model_meant
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, listed
from playground.corpora.text_files import STANDARD_INPUT, read_text
from playground.server.saved_page.page import SavedPage
from playground.shell.commands import Arguments, command, out_option
from playground.shell.corpus_arguments import file_argument
from playground.shell.terminal import part_bar
from playground.shell.tokenizer_arguments import (
    COMPARED_TOKENIZERS,
    DEFAULT_TOKENIZER,
    NAMES,
    SPECIAL_OPTION,
    chosen_pattern,
    chosen_tokenizers,
    tokenizer_options,
)
from playground.shell.tokenizer_outputs import check_writable, write_file
from playground.training.algorithms.registry import ALGORITHMS

#: The algorithms that learn from one text alone.
_LEARNERS = [name for name, each in ALGORITHMS.items() if not (each.needs_base or each.needs_languages)]
#: What `film` shows unless it is told.
_LEARNER, _VOCAB_SIZE = "bpe", 1256
_FIGURES_OF_TOKENIZERS = ("tokens", "compare", "tree", "formats")
#: The figures that read an option, by the option's attribute.
_ONLY_FOR = {
    "tokenizer": ("--tokenizer", _FIGURES_OF_TOKENIZERS),
    "models": ("--models", _FIGURES_OF_TOKENIZERS),
    "allow_special": ("--allow-special", ("tokens",)),
    "vocab_size": ("--vocab-size", ("film",)),
    "algorithm": ("--algorithm", ("film",)),
}
#: Seconds that a training may take; it ends by itself before that.
_PATIENCE = 3_600.0


@command(
    "export",
    "tessera export tokens speech.txt -t gpt-4o -o speech.html",
    "tessera export compare speech.txt -t gpt-4o -t qwen3 -t gpt2",
    notes="The figures: the tokens of a text; a text in several tokenizers; the merge tree of a text, which "
    "plays; the film of a training on a text; data in every format. A page asks for nothing from outside and "
    "opens in any browser. The same input gives the same bytes.",
)
@click.argument("figure", type=click.Choice(["tokens", "compare", "tree", "film", "formats"]))
@file_argument("UTF-8 text; data for `formats`")
@tokenizer_options(
    f"{NAMES} Repeat it for `compare` and `formats`. Default: {DEFAULT_TOKENIZER}; for `compare` "
    f"{', '.join(COMPARED_TOKENIZERS)}.",
    default=(),
    multiple=True,
)
@SPECIAL_OPTION
@click.option(
    "--vocab-size",
    type=click.IntRange(257, 100_000),
    help=f"Vocabulary that the training of `film` ends with. Default: {_VOCAB_SIZE}.",
)
@click.option(
    "--algorithm",
    type=click.Choice(_LEARNERS),
    help=f"What `film` learns with; --pattern is its split pattern. Default: {_LEARNER}.",
)
@out_option("File to write. Default: a name that says what the page shows, in the current folder.")
def run(arguments: Arguments) -> int:
    """Write the page, and print its name, what it shows, and its size."""
    for name, (typed, figures) in _ONLY_FOR.items():
        if getattr(arguments, name) and arguments.figure not in figures:
            raise InvalidInputError(f"{typed} is for {listed(figures)}; omit it")
    if arguments.out:
        check_writable(Path(arguments.out))
    page = _FIGURES[arguments.figure](arguments)
    path, html = Path(arguments.out or page.file_name), page.html.encode()
    check_writable(path)
    write_file(path, html)
    print(f"{path}: {page.caption}\n{counted(len(html), 'byte')}")
    return 0


def _tokens(arguments: Arguments) -> SavedPage:
    from playground.server.editor.session import EditorSession
    from playground.server.saved_page.tokens import saved_tokens

    tokenizer = _tokenizer(arguments)
    session = EditorSession(tokenizer, model=model_meant("".join(arguments.tokenizer), tokenizer))
    session.document.replace(read_text(arguments.file))
    session.change(honours_special=arguments.allow_special)
    return saved_tokens(session)


def _compare(arguments: Arguments) -> SavedPage:
    from playground.server.saved_page.compare import saved_comparison

    names = arguments.tokenizer or COMPARED_TOKENIZERS
    tokenizers = chosen_tokenizers(names, arguments.pattern, arguments.models)
    models = [
        compared_model(tokenizer, model_meant(name, tokenizer))
        for name, tokenizer in zip(names, tokenizers, strict=True)
    ]
    return saved_comparison(LiveComparison(read_text(arguments.file), tokenizers), models)


def _tree(arguments: Arguments) -> SavedPage:
    from playground.server.saved_page.merge_tree import saved_trees

    return saved_trees(read_text(arguments.file), _tokenizer(arguments))


def _film(arguments: Arguments) -> SavedPage:
    from playground.server.saved_page.film import saved_film
    from playground.server.train.session import TrainSession
    from playground.training.corpora import Corpus
    from playground.training.run import RunSettings

    title = "standard input" if arguments.file == STANDARD_INPUT else Path(arguments.file).name
    settings = RunSettings(
        vocab_size=arguments.vocab_size or _VOCAB_SIZE,
        algorithm=arguments.algorithm or _LEARNER,
        pattern=chosen_pattern(arguments.pattern or "gpt2"),
    )
    session = TrainSession()
    try:
        session.start(Corpus(title, (read_text(arguments.file),)), settings)
        for each in session.shown:
            each.run.wait(_PATIENCE)
            if each.run.error:
                raise InvalidInputError(each.run.error)
        return saved_film(session)
    finally:
        session.close()


def _formats(arguments: Arguments) -> SavedPage:
    from playground.formats.costs import measure
    from playground.server.saved_page.formats import saved_formats
    from playground.shell.formats import open_data

    names = arguments.tokenizer or [DEFAULT_TOKENIZER]
    tokenizers = chosen_tokenizers(names, arguments.pattern, arguments.models)
    text, document = open_data(arguments.file)
    with part_bar("Converting") as on_progress:
        table = measure(document.data, tokenizers, read_as=document.input_format, on_progress=on_progress)
    n_given = {each.name: len(each.encode(text)) for each in tokenizers}
    return saved_formats(table, tokenizers, input_format=document.input_format, n_given=n_given)


def _tokenizer(arguments: Arguments) -> Tokenizer:
    """Return the one tokenizer. Raises InvalidInputError for several."""
    names = arguments.tokenizer or [DEFAULT_TOKENIZER]
    if len(names) > 1:
        raise InvalidInputError(f"{arguments.figure} shows one tokenizer; `compare` shows several")
    return chosen_tokenizers(names, arguments.pattern, arguments.models)[0]


_FIGURES: dict[str, Callable[[Arguments], SavedPage]] = {
    "tokens": _tokens,
    "compare": _compare,
    "tree": _tree,
    "film": _film,
    "formats": _formats,
}
