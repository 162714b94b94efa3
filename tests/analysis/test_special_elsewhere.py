"""What reads like a special token and is none of the tokenizer at hand."""

import pytest

from playground.analysis.text_warnings import NAMES_WITHOUT_BARS, special_elsewhere
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from tests.catalog.test_trained import trained

CHAT = "<|im_start|>system\nHi<|im_end|>\n<|im_start|>user\n<s>"


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        (CHAT, "cl100k_base", ["<|im_start|>", "<|im_end|>", "<s>"]),
        (CHAT, "qwen3", ["<s>"]),
        ("<|endoftext|>", "cl100k_base", []),
        ("<｜begin▁of▁sentence｜>", "gpt2", ["<｜begin▁of▁sentence｜>"]),
        ("<｜begin▁of▁sentence｜>", "deepseek_v3", []),
        ("<b>, <section>, <|, |>, f <| x |> y, <||>, <|a b|>, <|a\n|>", "gpt2", []),
        ("<|a|><|b|><|c|><|d|><|e|>", "gpt2", ["<|a|>", "<|b|>", "<|c|>", "<|d|>"]),
    ],
)
def test_what_reads_like_a_special_token_is_named_once_where_it_is_none(text, name, found):
    assert special_elsewhere(text, get_tokenizer(name)) == found


def test_own_special_tokens_are_some():
    tokenizer = with_own_special_tokens(get_tokenizer("gpt2"), ("<|im_start|>",))
    assert special_elsewhere(CHAT, tokenizer) == ["<|im_end|>", "<s>"]


def test_what_is_one_token_anyway_is_not_named():
    tokenizer = trained("<s>" * 9, SplitPattern.named("none"), 2)
    assert special_elsewhere("<s></s>", tokenizer) == ["</s>"]


def test_each_name_without_bars_is_a_special_token_that_ships():
    shipped = {name for tokenizer in TOKENIZERS for name in get_tokenizer(tokenizer).special_tokens}
    assert shipped.issuperset(NAMES_WITHOUT_BARS)
