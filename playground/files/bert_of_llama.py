"""The steps of llama.cpp's BERT tokenizer, as parts of a tokenizer.json.

It differs from BERT's own steps: without accents, a character is replaced by the first of its decomposition,
so a Korean syllable becomes its first letter; every mark and format character is dropped; more characters are
white space or punctuation. Source: `llm_tokenizer_wpm_session` in llama.cpp's `llama-vocab.cpp`. The ids may
differ for 130 characters, nearly all added by Unicode 16, and for words of more than 200 letters.
"""

from typing import Any

_FIRST_SYLLABLE, _SYLLABLES_OF_A_LETTER, _FIRST_LETTER, _N_LETTERS = 0xAC00, 588, 0x1100, 19
_SPACES, _FORMATS, _MARKS, _PUNCTUATION = r"[\x0b\x0c\x85]", r"\p{Cf}", r"\p{M}", r"\p{P}"
_SYLLABLES = {
    rf"[\x{{{first:x}}}-\x{{{first + _SYLLABLES_OF_A_LETTER - 1:x}}}]": chr(_FIRST_LETTER + n)
    for n in range(_N_LETTERS)
    for first in [_FIRST_SYLLABLE + n * _SYLLABLES_OF_A_LETTER]
}
#: The expressions in these steps: each matches one character.
PATTERNS = frozenset({_SPACES, _FORMATS, _MARKS, _PUNCTUATION, *_SYLLABLES})

PRE_TOKENIZER = {
    "type": "Sequence",
    "pretokenizers": [
        {"type": "BertPreTokenizer"},
        {"type": "Split", "pattern": {"Regex": _PUNCTUATION}, "behavior": "Isolated", "invert": False},
    ],
}


def normalizer(*, lowercase: bool, strip_accents: bool) -> dict[str, Any]:
    """Return the steps that llama.cpp takes before it cuts a text into words."""
    steps = [_replace(_SPACES, " "), _replace(_FORMATS, "")]
    if strip_accents:
        steps += [_replace(pattern, letter) for pattern, letter in _SYLLABLES.items()]
        steps += [{"type": "NFD"}, _replace(_MARKS, "")]
    bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
            "strip_accents": strip_accents, "lowercase": lowercase}  # fmt: skip
    return {"type": "Sequence", "normalizers": [*steps, bert]}


def is_made_here(document: Any) -> bool:
    """Whether a tokenizer.json has these steps."""
    if document.get("pre_tokenizer") != PRE_TOKENIZER:
        return False
    choices = (False, True)
    return any(
        document.get("normalizer") == normalizer(lowercase=lowercase, strip_accents=strip_accents)
        for lowercase in choices
        for strip_accents in choices
    )


def _replace(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
