"""Read Python literals, as `print` shows data, from their syntax tree; nothing is evaluated."""

import ast
import re
from dataclasses import dataclass, field

from playground.core.errors import DataSyntaxError, PlaygroundError, TextTooLongError
from playground.formats.limits import shortened, too_deep, too_many_digits
from playground.formats.rounding import rounded_in_python
from playground.formats.values import Data

#: Python's parser takes 500 bytes of memory for each byte of small numbers, and 6 s for a megabyte.
MAX_LITERAL_BYTES = 1_000_000
_MAX_DUPLICATES = 5
_SCALARS = (str, int, float, bool, type(None))
_KEYS = "text, numbers, True, False and None"
_BEGINS_AS_ONE = re.compile(r"[\[{\s]+(?:['(]|(?:None|True|False)\b)")  # and as no JSON
_WORDS = re.compile(r"\b(?:None|True|False)\b")


def is_python(text: str) -> bool:
    """Whether a text that is not JSON is a Python list or dict, or starts like one.

    >>> [is_python(text) for text in ("{'a': datetime.now()}", '{"a": None}', '{"a": null', "{a: None}")]
    [True, True, False, False]
    """
    if _BEGINS_AS_ONE.match(text):
        return True
    try:
        return _WORDS.search(text) is not None and bool(read_python_literal(text))
    except PlaygroundError:
        return False


def read_python_literal(text: str) -> tuple[Data, list[str]]:
    """Return the data of a Python literal, and notes; tuples become lists.

    >>> read_python_literal("{'a': (1, None)}")
    ({'a': [1, None]}, ['Tuples (1) were read as lists.'])

    Raises TextTooLongError, and DataSyntaxError, which says what is valid.
    """
    n_bytes = len(text.encode())
    if n_bytes > MAX_LITERAL_BYTES:
        raise TextTooLongError(
            f"the Python literal has {n_bytes:,} bytes; at most {MAX_LITERAL_BYTES:,} are read: "
            "longer data can be JSON"
        )
    source = "\n" * text.count("\n", 0, len(text) - len(text.lstrip())) + text.strip()
    reader, tree = _Reader(source), _tree(source)
    data = reader.value_of(tree)
    tuples = [f"Tuples ({reader.n_tuples:,}) were read as lists."] if reader.n_tuples else []
    return data, [*tuples, *reader.notes, *rounded_in_python(source, tree)]


def _tree(source: str) -> ast.expr:
    try:
        return ast.parse(source, mode="eval").body
    except (MemoryError, RecursionError):  # Python's parser has no room left for its own levels
        raise too_deep() from None
    except SyntaxError as error:
        if "nested parentheses" in error.msg:
            raise too_deep(error.lineno, error.offset) from None
        if "integer string" in error.msg:
            raise too_many_digits(error.lineno, error.offset) from None
        raise DataSyntaxError(
            f"not a Python literal: {error.msg}", line=error.lineno, column=error.offset
        ) from None


@dataclass(slots=True)
class _Reader:
    """Builds data from a syntax tree, which has at most 200 levels of brackets."""

    source: str
    notes: list[str] = field(default_factory=list)
    n_tuples: int = 0

    def value_of(self, node: ast.expr) -> Data:
        match node:
            case ast.Constant(value=value) if isinstance(value, _SCALARS):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
            case ast.UnaryOp(op=ast.UAdd(), operand=ast.Constant(value=int() | float() as value)):
                return value
            case ast.List(elts=values):
                return [self.value_of(value) for value in values]
            case ast.Tuple(elts=values):
                self.n_tuples += 1
                return [self.value_of(value) for value in values]
            case ast.Dict(keys=keys, values=values):
                return self.object_of(node, keys, values)
        raise self.error(node, f"is no data; valid are {_KEYS}, and lists, tuples and dicts of them")

    def object_of(self, node: ast.Dict, keys: list[ast.expr | None], values: list[ast.expr]) -> Data:
        found: dict[Data, Data] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                raise self.error(node, "has **, which takes in another dict; valid are keys and values")
            name = self.value_of(key)
            if not isinstance(name, _SCALARS):
                raise self.error(key, f"is no key; valid are {_KEYS}")
            if name in found and len(self.notes) < _MAX_DUPLICATES:
                self.notes.append(f"The key {shortened(name)} is repeated in a dict; the last value is used.")
            found[name] = self.value_of(value)
        return found

    def error(self, node: ast.expr, why: str) -> DataSyntaxError:
        line = re.split("\r\n?|\n", self.source)[node.lineno - 1].encode()
        stop = node.end_col_offset if node.end_lineno == node.lineno else None
        column = len(line[: node.col_offset].decode()) + 1
        shown = shortened(line[node.col_offset : stop].decode())
        return DataSyntaxError(f"not a Python literal: {shown} {why}", line=node.lineno, column=column)
