"""Split patterns, and where a text may be cut without changing its tokens.

Encoding and training live in their own modules.
"""

import regex

#: Patterns as in tiktoken 0.14 (`tiktoken_ext/openai_public.py`), by the name used on every page; Llama 3's
#: as in its `tokenizer.py`.
SPLIT_PATTERNS: dict[str, str] = {
    "gpt2": (
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
    ),
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": "|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "llama3": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}  # fmt: skip

#: Width-zero places where each pattern above always starts a new pretoken, whatever stands around them:
#: 1. after a single line feed that follows a visible character, unless white space or "/" comes next;
#: 2. before white space other than a line end, after a visible character;
#: 3. before a line end, after a letter or digit.
#: tiktoken's Unicode is older than `regex`'s (17,480 newer letters and numbers), so the first two ask only
#: about white space, which both know alike, and the third only about characters that both have long known.
#: Checked against tiktoken on random texts in tests/bpe/test_pretokenize.py.
SAFE_CUT: regex.Pattern[str] = regex.compile(
    r"(?<=\S\n)(?=[^\s/])|(?<=\S)(?=[^\S\r\n])"
    r"|(?<=[0-9A-Za-z\u00c0-\u00d6\u0400-\u0481\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fcc\uac00-\ud7a3])(?=[\r\n])"
)
