"""How a text is cut before any merge: the known split patterns, and those that people type.

Where a text may be cut before it is cut into pretokens is in `safe_cuts`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.typed_patterns import find_spans
from playground.core.errors import InvalidInputError
from playground.core.wording import quoted

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

#: Texts that a typed pattern must come through before it is used.
_PROBES = ("a" * 40 + "!", "1" * 40 + "x", " " * 40 + "x", "aA1 _-\n\t" * 8, "\n" * 40 + "é")


@dataclass(frozen=True, slots=True)
class SplitPattern:
    """A split pattern with its name: one of `SPLIT_PATTERNS`, "none", or "custom".

    >>> SplitPattern.named("none").is_none, SplitPattern.typed(r"\\w+|\\W+").name
    (True, 'custom')
    """

    name: str
    expression: str

    @classmethod
    def named(cls, name: str) -> "SplitPattern":
        """A known pattern, or "none". Raises InvalidInputError."""
        if name == "none":
            return cls("none", "")
        if name not in SPLIT_PATTERNS:
            known = ", ".join(["none", *SPLIT_PATTERNS])
            raise InvalidInputError(
                f"unknown split pattern {quoted(name)}; choose from {known}, or type an expression"
            )
        return cls(name, SPLIT_PATTERNS[name])

    @classmethod
    def of(cls, expression: str) -> "SplitPattern":
        """The pattern that a tokenizer has; "" is "none". It is not tried out.

        >>> SplitPattern.of(SPLIT_PATTERNS["gpt2"]).name
        'gpt2'
        """
        if not expression:
            return cls.named("none")
        name = next((name for name, known in SPLIT_PATTERNS.items() if known == expression), "custom")
        return cls(name, expression)

    @classmethod
    def typed(cls, expression: str) -> "SplitPattern":
        """A pattern that a person typed, tried out first; a known one keeps its name.

        Raises: InvalidInputError where it does not compile, matches the empty text or never ends.
        """
        pattern = cls.of(expression)
        if pattern.name != "custom":
            return pattern
        for probe in ("", *_PROBES):
            for _ in iter_pretokens(probe, pattern):
                pass
        return pattern

    @classmethod
    def parse(cls, text: str) -> "SplitPattern":
        """A name or an expression: what a command line takes. Raises InvalidInputError.

        A word would cut only where a text has that word, so it is taken for a name.
        """
        is_name = text in SPLIT_PATTERNS or regex.fullmatch(r"\w[\w.-]+", text)
        return cls.named(text) if is_name else cls.typed(text)

    @property
    def is_known(self) -> bool:
        """Whether it is one of `SPLIT_PATTERNS`: those always end, and leave nothing out."""
        return self.name in SPLIT_PATTERNS

    @property
    def is_none(self) -> bool:
        """Whether texts stay whole."""
        return not self.expression


def iter_pretokens(text: str, pattern: SplitPattern) -> Iterator[tuple[str, bool]]:
    """Yield `(pretoken, is_match)`; they join to the text, for what no alternative matches is kept too.

    A known pattern cuts as tiktoken does, whatever Unicode `regex` knows; a typed one is `regex`'s own.
    Raises: InvalidInputError where the pattern does not compile, matches empty or takes too long.

    >>> list(iter_pretokens("a-b", SplitPattern.typed(r"\\w")))
    [('a', True), ('-', False), ('b', True)]
    """
    if pattern.is_none:
        if text:
            yield text, True
        return
    position = 0
    if pattern.is_known:  # it leaves nothing out: each piece starts where the one before ends
        for piece in regex.findall(pattern.expression, with_stand_ins(text)):
            end = position + len(piece)
            yield text[position:end], True
            position = end
        return
    spans = iter(find_spans(pattern.expression, text))
    for start, end in zip(spans, spans, strict=True):
        if start == end:
            continue
        if start > position:
            yield text[position:start], False
        yield text[start:end], True
        position = end
    if position < len(text):
        yield text[position:], False
