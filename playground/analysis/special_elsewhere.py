"""What in a text reads like a special token and is none of its tokenizer: it counts as plain text."""

import re
from collections.abc import Iterator
from itertools import islice

from playground.core.tokenizer import Tokenizer

#: Without bars any tag of HTML reads so: these alone are special tokens of tokenizers that ship with the app.
NAMES_WITHOUT_BARS = (
    "<s>", "</s>", "<unk>", "<pad>", "<sop>", "<eop>", "<think>", "</think>", "<tool_call>", "</tool_call>",
    "<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
)  # fmt: skip
#: Models have both bars, and both signs between words.
_READS_SO = re.compile(
    r"<\|[\w.-]{1,60}\|>|<｜[\w▁.-]{1,60}｜>|" + "|".join(map(re.escape, NAMES_WITHOUT_BARS))
)


def special_elsewhere(text: str, tokenizer: Tokenizer, *, n_names: int = 4) -> list[str]:
    """The first of them, each once; what is a token anyway is not among them.

    >>> from playground.catalog.registry import get_tokenizer
    >>> special_elsewhere("<|im_start|>user\\nHi<|endoftext|>", get_tokenizer("cl100k_base"))
    ['<|im_start|>']
    """
    return list(islice(_names(text, tokenizer), n_names))


def _names(text: str, tokenizer: Tokenizer) -> Iterator[str]:
    for name in dict.fromkeys(_READS_SO.findall(text)):
        if name not in tokenizer.special_tokens and len(tokenizer.encode(name)) > 1:
            yield name
