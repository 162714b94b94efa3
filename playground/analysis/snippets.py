"""Tokens as something to paste elsewhere: JSON, or Python that runs as it is."""

import json
from collections.abc import Sequence

from playground.core.tokenizer import Tokenizer, python_literal


def json_snippet(tokenizer: Tokenizer, text: str, ids: Sequence[int]) -> str:
    """The encoding name, the text, its ids and their number, as JSON.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(json_snippet(get_tokenizer("gpt2"), "Hi", [17250]))
    {"encoding": "gpt2", "text": "Hi", "ids": [17250], "count": 1}
    """
    record = {"encoding": tokenizer.name, "text": text, "ids": list(ids), "count": len(ids)}
    return json.dumps(record, ensure_ascii=False)


def python_snippet(
    tokenizer: Tokenizer, parts: Sequence[str | int], n_tokens: int, *, text: str | None = None
) -> str:
    """A program that encodes the same text; `parts` are texts, and ids of special tokens between them.

    `text` is all of it, special tokens too, where all were looked for in it. The program needs the library
    that the tokenizer's program names, and asserts the number of tokens.
    Raises: InvalidInputError where no library gives these ids.

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
    if not is_plain and text is not None and program.honouring is not None:
        program = program.honouring
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
    """A program that turns ids back into text. Raises InvalidInputError where no library knows these ids.

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
        f"added = {{  # special tokens that the library is not told of\n{names}}}\n"
        'text = ""\n'
        f"for is_added, run in groupby({list(ids)}, added.__contains__):\n"
        "    ids = list(run)\n"
        f'    text += "".join(map(added.get, ids)) if is_added else {program.decode}\n'
        "print(text)\n"
    )
