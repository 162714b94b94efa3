"""Split patterns, and where a text may be cut without changing its tokens.

Encoding and training live in their own modules.
"""

import regex

#: Patterns as in tiktoken 0.14 (`tiktoken_ext/openai_public.py`), by the name used on every page.
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
}  # fmt: skip

#: Width-zero places where each pattern above always starts a new pretoken, whatever stands around them:
#: between a letter or number and white space (no pretoken holds white space after a visible character
#: other than punctuation), and after a single line feed that stands between a visible character and a
#: letter or number. Verified against tiktoken on random texts in tests/bpe/test_pretokenize.py.
SAFE_CUT: regex.Pattern[str] = regex.compile(r"(?<=\S\n)(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])(?=\s)")

#: Every place between two characters.
ANY_CUT: regex.Pattern[str] = regex.compile(r"(?<=(?s:.))(?=(?s:.))")
