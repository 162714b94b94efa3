"""TokenQuery: what tokens to look for in a vocabulary; `VocabularyIndex.search` finds them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenQuery:
    """Conditions on tokens; every one that is set must hold, and ranges include both ends.

    `text` is looked for in a token's bytes, so "é" finds the token of its two bytes and longer ones.
    `pattern` is a regular expression (`regex` syntax) searched in a token's text. `script` is one of
    `unicode_scripts.SCRIPT_KINDS`.

    >>> TokenQuery(text="ing", max_bytes=4).starts_with_space is None
    True
    """

    text: str = ""
    pattern: str = ""
    ignores_case: bool = False
    min_id: int | None = None
    max_id: int | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None
    script: str | None = None
    starts_with_space: bool | None = None
    is_utf8: bool | None = None
