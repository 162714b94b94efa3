"""Tokens as something to paste elsewhere: JSON, or Python that runs as it is."""

import json
from collections.abc import Mapping, Sequence

from playground.bpe.model import BpeModel
from playground.catalog.registry import TOKENIZERS
from playground.core.tokenizer import Tokenizer
from playground.files.tiktoken_ranks import tiktoken_program

#: How the tokenizers that learn nothing are written in plain Python.
_PLAIN_EXPRESSIONS = {
    "utf8_bytes": "list(text.encode())",
    "characters": "[ord(character) for character in text]",
}
_PLAIN_BYTES = {"utf8_bytes": "bytes([token_id])", "characters": "chr(token_id).encode()"}


def json_snippet(tokenizer: Tokenizer, text: str, ids: Sequence[int]) -> str:
    """The encoding name, the text, its ids and their number, as JSON.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(json_snippet(get_tokenizer("gpt2"), "Hi", [17250]))
    {"encoding": "gpt2", "text": "Hi", "ids": [17250], "count": 1}
    """
    record = {"encoding": tokenizer.name, "text": text, "ids": list(ids), "count": len(ids)}
    return json.dumps(record, ensure_ascii=False)


def python_snippet(tokenizer: Tokenizer, parts: Sequence[str | int], n_tokens: int) -> str:
    """A program that encodes the same text; `parts` are texts, and ids of special tokens between them.

    It needs `tiktoken` alone (nothing for bytes and characters) and asserts the number of tokens.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(python_snippet(get_tokenizer("utf8_bytes"), ["Hi"], 2))
    text = "Hi"
    ids = list(text.encode())
    assert len(ids) == 2
    print(ids)
    <BLANKLINE>
    """
    is_plain = tokenizer.name in _PLAIN_EXPRESSIONS
    head = "" if is_plain else _head(tokenizer)
    expression = _PLAIN_EXPRESSIONS.get(tokenizer.name, "encoding.encode(text, disallowed_special=())")
    check = f"assert len(ids) == {n_tokens}\nprint(ids)\n"
    if all(isinstance(part, str) for part in parts):
        text = "".join(map(str, parts))
        return f"{head}text = {_literal(text)}\nids = {expression}\n{check}"
    lines = "".join(f"    {_literal(part) if isinstance(part, str) else part},\n" for part in parts)
    return (
        f"{head}parts = [  # texts, and the ids of special tokens between them\n{lines}]\n"
        "ids = []\n"
        "for text in parts:\n"
        "    is_special = isinstance(text, int)\n"
        f"    ids += [text] if is_special else {expression}\n"
        f"{check}"
    )


def decoding_snippet(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """A program that turns ids back into text.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(decoding_snippet(get_tokenizer("utf8_bytes"), [72, 105]))
    ids = [72, 105]
    raw_of = lambda token_id: bytes([token_id])
    print(b"".join(map(raw_of, ids)).decode(errors="replace"))
    <BLANKLINE>
    """
    listed = f"ids = {list(ids)}\n"
    added: Mapping[str, int] = getattr(tokenizer, "extra", {})
    used = {token_id: name for name, token_id in added.items() if token_id in set(ids)}
    plain = _PLAIN_BYTES.get(tokenizer.name)
    head = "" if plain else _head(tokenizer)
    if not plain and not used:
        return f"{head}{listed}print(encoding.decode(ids))\n"
    lookup = plain or "encoding.decode_single_token_bytes(token_id)"
    if used:
        names = "".join(f"    {token_id}: {_literal(name)},\n" for token_id, name in used.items())
        listed += f"added = {{  # special tokens of your own\n{names}}}\n"
        lookup = f"added[token_id].encode() if token_id in added else {lookup}"
    return (
        f"{head}{listed}raw_of = lambda token_id: {lookup}\n"
        'print(b"".join(map(raw_of, ids)).decode(errors="replace"))\n'
    )


def _head(tokenizer: Tokenizer) -> str:
    model = getattr(getattr(tokenizer, "base", tokenizer), "model", None)
    if isinstance(model, BpeModel):
        name = tokenizer.name
        is_bundled = name in TOKENIZERS
        where = "in the app's folder" if is_bundled else "exported on the page Train"
        opening = f'gzip.open("assets/vocabularies/{name}.tiktoken.gz", "rt")'
        return f"# Its file of ranks is {where}.\n" + tiktoken_program(
            model, name, opening if is_bundled else f'open("{name}.tiktoken")'
        )
    return f'import tiktoken\n\nencoding = tiktoken.get_encoding("{tokenizer.name}")\n'


def _literal(text: str) -> str:
    """A string literal for Python: JSON's escapes are Python's too, save that surrogate pairs are not."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\ufeff", "\\ufeff")
