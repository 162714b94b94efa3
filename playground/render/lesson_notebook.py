"""Turn a lesson and the values on its page into a Jupyter notebook."""

import ast
import binascii
import builtins
import doctest
import inspect
import pprint
import sys
import textwrap
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from playground.core.errors import TextTooLongError
from playground.lessons.inputs import PictureInput
from playground.lessons.lesson import Lesson, Opening, Shown
from playground.render.visible_text import markdown_escape
from playground.training.corpora import BUNDLED

#: Limit on the input as code; editors slow down on longer cells.
MAX_CHARS = 20_000
#: Limit on a compressed picture in base64; its 196,608 bytes hardly ever need more.
MAX_PICTURE_CHARS = 270_000
_LINE_CHARS = 120
#: Limit on the tokenizers in which one text is drawn.
_MAX_DRAWINGS = 3
#: Size of a training in a notebook: characters of the corpus, and merges.
_CORPUS_CHARS, _N_MERGES = 24_000, 100
_SETUP = (
    "This notebook has the values that were on the page. It needs the `playground` package: run "
    "`pip install -e .` in the project's folder, and open the notebook in Jupyter or VS Code from the same "
    "environment."
)


class _Code(str):
    """Code whose `repr` is the code itself, for use inside `pprint`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


Source = Callable[..., object] | type


def lesson_notebook(lesson: Lesson, values: Mapping[str, Any], shown: Shown) -> dict[str, Any]:
    """Return the notebook as JSON (nbformat 4.5); `shown` is what the lesson shows for the checked `values`.

    Raises TextTooLongError if the values exceed `MAX_CHARS` or `MAX_PICTURE_CHARS`.

    >>> from playground.lessons.registry import find_lesson
    >>> lesson = find_lesson("bytes")
    >>> notebook = lesson_notebook(lesson, lesson.example(), lesson.show(**lesson.example()))
    >>> notebook["nbformat"], notebook["cells"][0]["source"][0]
    (4, '# 5 · Text is bytes\\n')
    """
    own = {field.name for field in lesson.inputs if isinstance(field, PictureInput) and values[field.name]}
    pictures = {name: values[name] for name in own}
    cells = [
        _markdown(_opening_words(lesson)),
        *_iter_picture_cells(pictures),
        _code(_input_code(lesson, values, pictures)),
        *_iter_drawing_cells(values, lesson.openings(**values)),
        *_iter_figure_cells(shown.figure),
        _markdown("## The code that does it"),
        *map(_code, _iter_source_code(lesson.sources)),
        *_iter_question_cells(shown),
    ]
    return {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells, start=1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def notebook_name(lesson: Lesson) -> str:
    """Return the file name of a lesson's notebook.

    >>> from playground.lessons.registry import find_lesson
    >>> notebook_name(find_lesson("bytes"))
    'lesson-05-bytes.ipynb'
    """
    return f"lesson-{lesson.number:02}-{lesson.slug}.ipynb"


def _opening_words(lesson: Lesson) -> str:
    steps = "\n".join(
        f"{number}. {markdown_escape(step)}" for number, step in enumerate(lesson.steps, start=1)
    )
    return (
        f"# {lesson.number} · {markdown_escape(lesson.title)}\n\n"
        f"**{markdown_escape(lesson.claim)}**\n\n{steps}\n\n"
        f"*Try:* {markdown_escape(lesson.try_this)} Change the values below and run the notebook again.\n\n"
        f"{_SETUP}"
    )


def _iter_picture_cells(pictures: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a folded cell for each picture, with its compressed pixels in short lines.

    Raises TextTooLongError.
    """
    for name, pixels in pictures.items():
        packed = binascii.b2a_base64(zlib.compress(binascii.a2b_base64(pixels), 9), newline=False).decode()
        if len(packed) > MAX_PICTURE_CHARS:
            raise TextTooLongError(
                f"this picture takes {len(packed):,} characters as code; a notebook takes up to "
                f"{MAX_PICTURE_CHARS:,}. Choose another picture, or the lesson's own"
            )
        lines = "\n".join(textwrap.wrap(packed, _LINE_CHARS))
        folded = _code(
            "import base64\nimport zlib\n\n# Red, green and blue of each pixel.\n"
            f'{name} = base64.b64encode(zlib.decompress(base64.b64decode("""\n{lines}\n"""))).decode()'
        )
        yield folded | {"metadata": {"jupyter": {"source_hidden": True}}}


def _input_code(lesson: Lesson, values: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    plain |= {name: _Code(name) for name in pictures}  # a cell above defines it
    written = pprint.pformat(plain, sort_dicts=False, width=100)
    if len(written) > MAX_CHARS:
        raise TextTooLongError(
            f"this input takes {len(written):,} characters as code; a notebook takes up to {MAX_CHARS:,}. "
            "Shorten the text, or use the lesson's own example"
        )
    return (
        "from playground.lessons.registry import find_lesson\n\n"
        f"lesson = find_lesson({lesson.slug!r})\n"
        f"values = {written}\n"
        "shown = lesson.show(**lesson.check(values))\n"
        "shown.needs or lesson.claim"
    )


def _iter_figure_cells(figure: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield cells with the figure's values: one for single values, and one for each table."""
    plain = [name for name, value in figure.items() if _is_plain(value)]
    tables = [name for name, value in figure.items() if _is_table(value)]
    if plain or tables:
        yield _markdown("## The numbers of the figure")
    if plain:
        yield _code(f"{{name: shown.figure[name] for name in {plain}}}")
    for number, name in enumerate(tables):
        head = "" if number else "import pandas as pd\n\n"
        yield _code(f"{head}pd.DataFrame(shown.figure[{name!r}])")


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.values()))
    return isinstance(value, str | int | float) and len(str(value)) <= 200


def _is_table(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _iter_source_code(sources: Sequence[Source]) -> Iterator[str]:
    """Yield all definitions, then the examples in their docstrings, with the imports that they need."""
    defined = {source.__name__ for source in sources}
    imported: set[str] = set()
    definitions = [textwrap.dedent(inspect.getsource(source)).rstrip() for source in sources]
    examples = ["".join(example.source for example in _examples(source)).rstrip() for source in sources]
    for source, code in zip((*sources, *sources), (*definitions, *examples), strict=True):
        if code:
            names = _loaded_names(code) - defined - imported
            lines = _import_lines(sys.modules[source.__module__], names)
            imported |= names
            yield "\n".join([*lines, *([""] * 2 if code in definitions else [""]), code] if lines else [code])


def _examples(source: Source) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(inspect.getdoc(source) or "")


def _loaded_names(code: str) -> set[str]:
    """Return the names that code refers to, also in annotations; builtins are excluded."""
    nodes = list(ast.walk(ast.parse(code)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    quoted = [
        node.annotation for node in nodes if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation
    ]
    quoted += [node.returns for node in nodes if isinstance(node, ast.FunctionDef) and node.returns]
    for annotation in quoted:
        for node in ast.walk(annotation):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names |= _loaded_names(node.value)
    return names - set(vars(builtins))


def _import_lines(module: Any, names: set[str]) -> list[str]:
    """Return import lines for names that a module imports or defines."""
    lines: list[str] = []
    taken: dict[str, set[str]] = {}
    found: set[str] = set()
    for statement in ast.parse(inspect.getsource(module)).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                name = alias.asname or alias.name.split(".")[0]
                if name in names:
                    found.add(name)
                    if isinstance(statement, ast.ImportFrom):
                        taken.setdefault(str(statement.module), set()).add(ast.unparse(alias))
                    else:
                        lines.append(f"import {ast.unparse(alias)}")
    own = {name for name in names - found if hasattr(module, name)}
    if own:
        taken.setdefault(module.__name__, set()).update(own)
    froms = [f"from {name} import {', '.join(sorted(taken[name]))}" for name in sorted(taken)]
    return [*sorted(lines), *froms]


def _iter_drawing_cells(values: Mapping[str, Any], openings: Sequence[Opening]) -> Iterator[dict[str, Any]]:
    """Yield cells that draw the input as the pages opened from the lesson do."""
    calls = list(dict.fromkeys(call for opening in openings for call in _iter_calls(values, opening)))
    if calls:
        yield _markdown("## Look at it")
        names = sorted({call.split("(")[0] for _, call in calls})
        imports = "\n".join(dict.fromkeys(line for needed, _ in calls for line in needed))
        yield _code(
            f"from playground.notebook import {', '.join(names)}\n{imports}".rstrip() + f"\n\n{calls[0][1]}"
        )
        yield from (_code(call) for _, call in calls[1:])


def _iter_calls(values: Mapping[str, Any], opening: Opening) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield `(imports, call)`."""
    state = opening.state
    if opening.page == "train":
        corpus, pasted = state["chosen"]["train.corpus"], state["chosen"].get("train.pasted")
        if corpus in BUNDLED:
            text = f"BUNDLED[{corpus!r}]().texts[0][:{_CORPUS_CHARS:_}]"
            yield ("from playground.training.corpora import BUNDLED",), f"show_training({text}, {_N_MERGES})"
        elif pasted:
            yield (), f"show_training({_expression(values, pasted)}, {_N_MERGES})"
    elif state.get("text"):
        written = _expression(values, state["text"])
        if opening.page == "tokenize":
            yield (), f"show({written}, {state['tokenizer']!r})"
        elif opening.page == "merge_tree":
            yield (), f"show_tree({written}, {state['tokenizer']!r})"
        elif opening.page == "compare":
            yield from (((), f"show({written}, {name!r})") for name in state["tokenizers"][:_MAX_DRAWINGS])


def _expression(values: Mapping[str, Any], text: str) -> str:
    """Return code for a text: a reference to the value it comes from if there is one, or a literal."""
    name = next((name for name, value in values.items() if isinstance(value, str) and value == text), None)
    return repr(text) if name is None else f"values[{name!r}]"


def _iter_question_cells(shown: Shown) -> Iterator[dict[str, Any]]:
    question = shown.question
    if question is not None:
        yield _markdown(f"## Question\n\n{markdown_escape(question.asks)}")
        yield _code(
            'guess = ""  # your answer\n'
            '"Right." if shown.question.is_right(guess) else shown.question.hint(guess)'
        )
        yield _code("shown.question.answer")


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }
