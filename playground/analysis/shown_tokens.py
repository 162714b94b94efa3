"""ShownTokens: the tokens that the editor shows (of a text, chat or ids), and programs that make them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from playground.analysis.categories import Category, CategoryTable, count_categories
from playground.analysis.chat import ChatEncoding
from playground.analysis.live_document import LiveDocument, Piece
from playground.analysis.pasted_ids import DecodedIds
from playground.analysis.token_details import TokenDetails, Unstable, describe_token, find_unstable
from playground.analysis.token_marks import NO_MARKS
from playground.bpe.special_tokens import iter_special_parts
from playground.core.errors import InvalidInputError
from playground.core.text_units import Column, widened_to_characters
from playground.core.tokenizer import Tokenizer, python_literal
from playground.core.tokens import Token


def json_snippet(tokenizer: Tokenizer, text: str, ids: Sequence[int]) -> str:
    """Return the encoding name, the text, its ids and their number as JSON.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(json_snippet(get_tokenizer("gpt2"), "Hi", [17250]))
    {"encoding": "gpt2", "text": "Hi", "ids": [17250], "count": 1}
    """
    record = {"encoding": tokenizer.name, "text": text, "ids": list(ids), "count": len(ids)}
    return json.dumps(record, ensure_ascii=False)


def python_snippet(
    tokenizer: Tokenizer, parts: Sequence[str | int], n_tokens: int, *, text: str | None = None
) -> str:
    """Return a Python program that encodes the same text and asserts the number of tokens.

    `parts` are texts, and the ids of special tokens between them. `text` is the whole text if all special
    tokens in it are encoded as such.
    Raises InvalidInputError if no library gives these ids.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(python_snippet(get_tokenizer("utf8_bytes"), ["Hi"], 2))
    text = "Hi"
    ids = list(text.encode())
    assert len(ids) == 2
    print(ids)
    <BLANKLINE>
    """
    program = tokenizer.python_program()
    check = f"assert len(ids) == {n_tokens}\nprint(ids)\n"
    is_plain = all(isinstance(part, str) for part in parts)
    if not is_plain and text is not None and program.with_special is not None:
        program = program.with_special
    elif is_plain:
        text = "".join(map(str, parts))
    else:
        text = None
    if text is not None:
        return f"{program.setup}text = {python_literal(text)}\nids = {program.encode}\n{check}"
    lines = "".join(f"    {python_literal(part) if isinstance(part, str) else part},\n" for part in parts)
    return (
        f"{program.setup}parts = [  # texts, and the ids of special tokens between them\n{lines}]\n"
        "ids = []\n"
        "for text in parts:\n"
        "    is_special = isinstance(text, int)\n"
        f"    ids += [text] if is_special else {program.encode}\n"
        f"{check}"
    )


def decoding_snippet(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """Return a Python program that decodes ids. Raises InvalidInputError if no library knows these ids.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(decoding_snippet(get_tokenizer("utf8_bytes"), [72, 105]))
    ids = [72, 105]
    print(bytes(ids).decode(errors="replace"))
    <BLANKLINE>
    """
    program = tokenizer.python_program()
    used = {token_id: name for token_id, name in program.added.items() if token_id in set(ids)}
    if not used:
        return f"{program.setup}ids = {list(ids)}\nprint({program.decode})\n"
    names = "".join(f"    {token_id}: {python_literal(name)},\n" for token_id, name in used.items())
    return (
        f"from itertools import groupby\n\n{program.setup}"
        f"added = {{  # special tokens that the library does not know\n{names}}}\n"
        'text = ""\n'
        f"for is_added, run in groupby({list(ids)}, added.__contains__):\n"
        "    ids = list(run)\n"
        f'    text += "".join(map(added.get, ids)) if is_added else {program.decode}\n'
        "print(text)\n"
    )


#: Only this many tokens at the end are checked for whether more text would change them.
MAX_UNSTABLE_TOKENS = 12


@dataclass(frozen=True, slots=True)
class ShownTokens:
    """Tokens and their text; `lengths` has the bytes of each token, including dropped text after it.

    `marks` are those of `marks_of` for the whole text. `parts` are the encoded texts and the ids of special
    tokens between them; None for pasted ids. `problem` says why there are no tokens.
    """

    tokenizer: Tokenizer
    raw: bytes
    ids: Column
    lengths: Column
    parts: tuple[str | int, ...] | None
    template_ranges: tuple[tuple[int, int], ...] = ()
    message_tokens: tuple[tuple[int, int, int], ...] = ()
    notes: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    problem: str | None = None
    marks: Column = field(default_factory=lambda: NO_MARKS)

    @property
    def text(self) -> str:
        """The bytes as text; invalid UTF-8 becomes U+FFFD."""
        return self.raw.decode(errors="replace")

    @property
    def own_text(self) -> str:
        """The text with each byte of the chat's template and of special tokens replaced by a space."""
        raw, ends = bytearray(self.raw), np.cumsum(self.lengths, dtype=np.int64)
        special = np.flatnonzero(np.isin(self.ids, list(self.tokenizer.special_tokens.values()))).tolist()
        for first, last in (*self.template_ranges, *((index, index + 1) for index in special)):
            start, end = int(ends[first] - self.lengths[first]), int(ends[last - 1])
            raw[start:end] = b" " * (end - start)
        return raw.decode(errors="replace")

    @property
    def n_template(self) -> int:
        """The number of tokens of a chat's template."""
        return sum(last - first for first, last in self.template_ranges)

    def categories(self) -> list[int]:
        """Return the number of tokens of each `Category`; bytes that are not UTF-8 are OTHER."""
        special = frozenset(self.tokenizer.special_tokens.values())
        table = CategoryTable(self.tokenizer.vocabulary)
        try:
            text = self.raw.decode()
        except UnicodeDecodeError:
            codes = table.codes_of(self.ids).astype(np.int64)
            codes[codes < 0] = Category.OTHER
            codes[np.isin(self.ids, list(special))] = Category.SPECIAL
            return list(map(int, np.bincount(codes, minlength=len(Category))))
        return list(map(int, count_categories(self.ids, text, self.lengths, special, table)))

    def describe(self, index: int) -> TokenDetails:
        """Describe the token at an index. Raises InvalidInputError."""
        if not 0 <= index < len(self.ids):
            raise InvalidInputError(f"there is no token {index}; the text has {len(self.ids):,}")
        ends = np.cumsum(self.lengths, dtype=np.int64)
        end = int(ends[index])
        start = end - int(self.lengths[index])
        if len(self.marks):
            start += int(self.marks[0]) if index == 0 else 0
            end -= int(self.marks[index + 1]) // 4
        first, last = widened_to_characters(self.raw, start, end)
        char_start = len(self.raw[:first].decode(errors="replace"))
        char_end = char_start + len(self.raw[first:last].decode(errors="replace"))
        token_id = int(self.ids[index])
        is_special = token_id in self.tokenizer.special_tokens.values()
        raw = self.tokenizer.vocabulary.raw_of(token_id)
        token = Token(token_id, raw, start, end, char_start, char_end, is_special)
        n_occurrences = int(np.count_nonzero(self.ids == token_id))
        return describe_token(
            self.tokenizer,
            token,
            touched=self.raw[first:last],
            touched_start=first,
            n_occurrences=n_occurrences,
            unstable=self._unstable(index),
        )

    def _unstable(self, index: int) -> Unstable | None:
        """Return how the end of the text may change if this token may change with it."""
        n_after = len(self.ids) - index
        if n_after > MAX_UNSTABLE_TOKENS or self.template_ranges or not self.parts:
            return None
        last = self.parts[-1]
        unstable = find_unstable(self.tokenizer, last) if isinstance(last, str) else None
        if unstable is None or n_after > unstable.n_tokens or unstable.n_completions == 1:
            return None
        return unstable

    def snippet(self, kind: str) -> str:
        """Return the tokens as "json", or a "python" program. Raises InvalidInputError."""
        ids = self.ids.tolist()
        if kind == "json":
            return json_snippet(self.tokenizer, self.text, ids)
        if kind != "python":
            raise InvalidInputError(f"unknown snippet {kind!r}; choose from json, python")
        if self.parts is None:
            return decoding_snippet(self.tokenizer, ids)
        text = None if self.template_ranges else self.text
        return python_snippet(self.tokenizer, self.parts, len(ids), text=text)


def show_document(document: LiveDocument) -> ShownTokens:
    """Return the tokens of a live document.

    >>> from playground.catalog.registry import get_tokenizer
    >>> shown = show_document(LiveDocument(get_tokenizer("gpt2"), "Hello world"))
    >>> shown.describe(1).text, shown.ids.tolist()
    (' world', [15496, 995])
    """
    with document.lock:
        pieces, tokenizer, text = list(document.pieces), document.tokenizer, document.text
        honoured = list(tokenizer.special_tokens) if document.honours_special else []
    none = [np.zeros(0, np.uint32)]
    parts = iter_special_parts(text, honoured)
    return ShownTokens(
        tokenizer=tokenizer,
        raw=text.encode(),
        ids=np.concatenate([piece.ids for piece in pieces] or none),
        lengths=np.concatenate([piece.lengths for piece in pieces] or none),
        parts=tuple(tokenizer.special_tokens[part] if special else part for part, special in parts),
        marks=_joined_marks(pieces),
    )


def _joined_marks(pieces: Sequence[Piece]) -> Column:
    """Return the marks of all pieces as those of the whole text."""
    if not any(len(piece.marks) for piece in pieces):
        return NO_MARKS
    of_tokens = [piece.marks[1:] if len(piece.marks) else np.zeros_like(piece.ids) for piece in pieces]
    return np.concatenate([pieces[0].marks[:1] if len(pieces[0].marks) else [0], *of_tokens]).astype(
        np.uint32
    )


def show_chat(chat: ChatEncoding) -> ShownTokens:
    """Return the tokens of a chat."""
    return ShownTokens(
        tokenizer=chat.tokenizer,
        raw=chat.text.encode(),
        ids=np.array(chat.ids, np.uint32),
        lengths=np.array(chat.lengths, np.uint32),
        parts=chat.parts,
        template_ranges=chat.template_ranges,
        message_tokens=chat.message_tokens,
        notes=chat.notes,
        variables=chat.variables,
        marks=chat.marks,
    )


def show_ids(tokenizer: Tokenizer, decoded: DecodedIds) -> ShownTokens:
    """Return the tokens of pasted ids."""
    ids, lengths = np.array(decoded.ids, np.uint32), np.array(decoded.lengths, np.uint32)
    return ShownTokens(tokenizer=tokenizer, raw=decoded.raw, ids=ids, lengths=lengths, parts=None)


def show_problem(tokenizer: Tokenizer, problem: str) -> ShownTokens:
    """Return no tokens, and the reason."""
    none = np.zeros(0, np.uint32)
    return ShownTokens(tokenizer=tokenizer, raw=b"", ids=none, lengths=none, parts=(), problem=problem)
