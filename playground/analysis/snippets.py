"""Tokens as something to paste elsewhere: JSON, or Python that runs as it is."""

import json
from collections.abc import Sequence

from playground.core.tokenizer import Tokenizer

#: How the tokenizers that learn nothing are written in plain Python.
_PLAIN_EXPRESSIONS = {
    "utf8_bytes": "list(text.encode())",
    "characters": "[ord(character) for character in text]",
}


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
    texts = [part for part in parts if isinstance(part, str)]
    check = f"assert len(ids) == {n_tokens}\nprint(ids)\n"
    if tokenizer.name in _PLAIN_EXPRESSIONS:
        return f"text = {_literal(''.join(texts))}\nids = {_PLAIN_EXPRESSIONS[tokenizer.name]}\n{check}"
    head = f'import tiktoken\n\nencoding = tiktoken.get_encoding("{tokenizer.name}")\n'
    if len(parts) == len(texts):
        text = _literal("".join(texts))
        return f"{head}text = {text}\nids = encoding.encode(text, disallowed_special=())\n{check}"
    lines = "".join(f"    {_literal(part) if isinstance(part, str) else part},\n" for part in parts)
    return (
        f"{head}parts = [  # texts, and the ids of special tokens between them\n{lines}]\n"
        "ids = []\n"
        "for part in parts:\n"
        "    is_special = isinstance(part, int)\n"
        "    ids += [part] if is_special else encoding.encode(part, disallowed_special=())\n"
        f"{check}"
    )


def decoding_snippet(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """A program that turns ids back into text."""
    listed = f"ids = {list(ids)}\n"
    if tokenizer.name == "utf8_bytes":
        return f'{listed}print(bytes(ids).decode(errors="replace"))\n'
    if tokenizer.name == "characters":
        return f'{listed}print("".join(map(chr, ids)))\n'
    head = f'import tiktoken\n\nencoding = tiktoken.get_encoding("{tokenizer.name}")\n'
    return f"{head}{listed}print(encoding.decode(ids))\n"


def _literal(text: str) -> str:
    """A string literal for Python: JSON's escapes are Python's too, save that surrogate pairs are not."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\ufeff", "\\ufeff")
