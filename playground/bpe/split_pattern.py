"""Split patterns: how a text is cut before merging, and which alternative takes each pretoken.

Where a text may be cut before it is cut into pretokens is in `safe_cuts`.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import regex

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.typed_patterns import compile_typed, find_spans
from playground.core.errors import InvalidInputError
from playground.core.wording import quoted

#: Patterns of tiktoken 0.14 (`tiktoken_ext/openai_public.py`) and Llama 3 (`tokenizer.py`), by the name used
#: on every page.
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
            r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+",
        ]
    ),
    "llama3": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}  # fmt: skip

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#: The letters and marks that DeepSeek's second split takes out and leaves together, the punctuation between
#: them, and unassigned code points.
_HAN_KANA = r"\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u4e00-\u9fa5"
_KANA_SIGNS, _KANA_GAPS = r"\u309b\u309c\u30a0\u30fb", r"\u3040\u3097\u3098"

#: Split patterns of open models, as in their own files, with two exceptions. Kimi's excludes Han letters from
#: classes with "&&", which `regex` reads differently: here a look-ahead does. DeepSeek splits three times,
#: each time the pieces of the previous split, and keeps unmatched text in one piece: here one pattern does,
#: whose classes exclude what the earlier splits take.
OPEN_MODEL_PATTERNS = {
    "qwen": rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama3": SPLIT_PATTERNS["llama3"],
    "tekken": "|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
            r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ]
    ),
    "kimi": "|".join(
        [
            r"\p{Han}+",
            r"[^\r\n\p{L}\p{N}]?(?:(?!\p{Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])*"
            rf"(?:(?!\p{{Han}})[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}])+{_CONTRACTIONS}?",
            r"[^\r\n\p{L}\p{N}]?(?:(?!\p{Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])+"
            rf"(?:(?!\p{{Han}})[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}])*{_CONTRACTIONS}?",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ]
    ),
    "deepseek": "|".join(
        [
            rf"\p{{N}}{{1,3}}|[{_KANA_GAPS}]?[{_HAN_KANA}]+|[{_KANA_SIGNS}]+",
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+",
            rf"[^\r\n\p{{L}}\p{{P}}\p{{S}}\p{{N}}{_KANA_GAPS}{_HAN_KANA}]?(?:(?![{_HAN_KANA}])[\p{{L}}\p{{M}}])+",
            rf" ?(?:(?![{_KANA_SIGNS}])[\p{{P}}\p{{S}}])+[\r\n]*",
            rf"\s*[\r\n]+|\s+(?=[\p{{N}}{_KANA_GAPS}{_HAN_KANA}{_KANA_SIGNS}])|\s+(?!\S)|\s+",
            rf"(?:[{_KANA_GAPS}](?![{_HAN_KANA}]))+",
            rf"(?:[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}{_KANA_GAPS}](?!(?![{_HAN_KANA}])[\p{{L}}\p{{M}}]))+",
        ]
    ),
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
}  # fmt: skip
#: Other spellings of these patterns in published files, with the same cuts: GPT-2's own and Kimi's with "&&".
_OTHER_SPELLINGS = {
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": SPLIT_PATTERNS["gpt2"],
    "|".join(
        [
            r"[\p{Han}]+",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
            rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}&&[^\p{{Han}}]]+{_CONTRACTIONS}?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
            rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}&&[^\p{{Han}}]]*{_CONTRACTIONS}?",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ]
    ): OPEN_MODEL_PATTERNS["kimi"],
}
#: Set operations of tiktoken's and Hugging Face's engines, which are characters of the set to `regex`.
_SET_OPERATION = r"(?s)\\.(*SKIP)(*FAIL)|\[\^?\]?(?:\\.|[^\]\\])*?(?P<operation>&&|--)"
#: These match every text completely and always finish, and are cut by tiktoken's Unicode however they are
#: given.
_PUBLISHED = frozenset({*SPLIT_PATTERNS.values(), *OPEN_MODEL_PATTERNS.values()})

#: A typed pattern must cut these texts in time before it is used.
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
        """Return a known pattern or "none". Raises InvalidInputError."""
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
        """Return the pattern of a tokenizer without trying it; "" is "none".

        >>> SplitPattern.of(SPLIT_PATTERNS["gpt2"]).name
        'gpt2'
        """
        if not expression:
            return cls.named("none")
        expression = _OTHER_SPELLINGS.get(expression, expression)
        name = next((name for name, known in SPLIT_PATTERNS.items() if known == expression), "custom")
        return cls(name, expression)

    @classmethod
    def typed(cls, expression: str) -> "SplitPattern":
        """Return a pattern that a person typed, after trying it; a known one keeps its name.

        Raises: InvalidInputError if it does not compile, has an operation on sets, matches the empty text or
        takes too long.
        """
        pattern = cls.of(expression)
        if pattern.name != "custom":
            return pattern
        if operation := regex.search(_SET_OPERATION, pattern.expression):
            raise InvalidInputError(
                f"the pattern {quoted(expression)} has {operation['operation']} in a set, which is an "
                "operation in tiktoken and two characters in Python's `regex`; use a look-ahead such as "
                r"(?!\p{Han})\p{L} instead"
            )
        for probe in () if pattern.is_published else ("", *_PROBES):
            for _ in iter_pretokens(probe, pattern):
                pass
        return pattern

    @classmethod
    def parse(cls, text: str) -> "SplitPattern":
        """Return the pattern of a name or an expression, as given on the command line.

        Raises InvalidInputError. A single word is read as a name, because as an expression it would cut only
        where a text has that word.
        """
        is_name = text in SPLIT_PATTERNS or regex.fullmatch(r"\w[\w.-]+", text)
        return cls.named(text) if is_name else cls.typed(text)

    @property
    def title(self) -> str:
        """The name of a published pattern, else the expression.

        >>> SplitPattern.of(OPEN_MODEL_PATTERNS["kimi"]).title, SplitPattern.named("none").title
        ('kimi', 'none')
        """
        names = {expression: name for name, expression in OPEN_MODEL_PATTERNS.items()}
        return names.get(self.expression, self.expression) if self.name == "custom" else self.name

    @property
    def is_known(self) -> bool:
        """Whether it is one of `SPLIT_PATTERNS`, which always finish and match every text completely."""
        return self.name in SPLIT_PATTERNS

    @property
    def is_published(self) -> bool:
        """Whether it is known or an open model's, so that it is cut as tiktoken cuts it."""
        return self.expression in _PUBLISHED

    @property
    def is_none(self) -> bool:
        """Whether texts are not cut at all."""
        return not self.expression


def iter_pretokens(text: str, pattern: SplitPattern) -> Iterator[tuple[str, bool]]:
    """Yield `(pretoken, is_match)`; they join to the text, as text that no alternative matches is kept too.

    A published pattern cuts as tiktoken does, whatever Unicode `regex` knows; a typed one is run by `regex`
    as it is. Raises InvalidInputError if the pattern does not compile, matches the empty text or takes too
    long.

    >>> list(iter_pretokens("a-b", SplitPattern.typed(r"\\w")))
    [('a', True), ('-', False), ('b', True)]
    """
    if pattern.is_none:
        if text:
            yield text, True
        return
    position = 0
    if pattern.is_published:  # matches all text, so each piece starts where the previous one ends
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


#: Seconds for finding the alternatives of a typed pattern in a text.
_MAX_SECONDS = 0.2


def alternatives_of(expression: str) -> tuple[str, ...]:
    r"""Return the parts between the outermost bars, ignoring bars in groups, in sets and after backslashes.

    Returns the whole expression if its parts alone do not compile.

    >>> alternatives_of(r"'(?:s|t)| ?\p{L}+|[|]|\|")
    ("'(?:s|t)", ' ?\\p{L}+', '[|]', '\\|')
    """
    parts = [""]
    depth, is_set = 0, False
    for piece in regex.findall(r"(?s)\\.|.", expression):
        if is_set:
            is_set = piece != "]" or parts[-1].endswith(("[", "[^"))  # a ] in first position is a member
        elif piece == "[":
            is_set = True
        else:
            depth += (piece == "(") - (piece == ")")
            if piece == "|" and depth == 0:
                parts.append("")
                continue
        parts[-1] += piece
    try:
        for part in parts:
            compile_typed(part)
    except InvalidInputError:
        return (expression,)
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class SwitchedPattern:
    """A split pattern with some alternatives switched off; `on` are the indexes of the others."""

    alternatives: tuple[str, ...]
    on: tuple[int, ...]
    pattern: SplitPattern

    @classmethod
    def of(cls, expression: str, off: Collection[int] = ()) -> "SwitchedPattern":
        """Return the pattern without the alternatives `off`, tried out; "" cuts nothing.

        Raises InvalidInputError.

        >>> SwitchedPattern.of("a+|b|c+", off=[1]).pattern.expression
        'a+|c+'
        """
        alternatives = alternatives_of(expression) if expression else ()
        on = tuple([place for place in range(len(alternatives)) if place not in off])
        pattern = SplitPattern.typed("|".join(alternatives[place] for place in on))
        return cls(alternatives, on, pattern)

    def iter_taken(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Yield each pretoken and the index of the alternative that takes it, or None.

        >>> list(SwitchedPattern.of("a+|b|c+", off=[1]).iter_taken("abc"))
        [('a', 0), ('b', None), ('c', 2)]
        """
        alternatives = [self.alternatives[place] for place in self.on]
        for piece, place in iter_taken(text, self.pattern, alternatives):
            yield piece, None if place is None or not alternatives else self.on[place]


#: Text that an alternative takes, the text after it, and the name of the first row that fits.
_NAMES = (
    ("ab", " ", "letters"),
    ("!a", " ", "a sign and letters"),
    ("'s", "", "endings such as 's"),
    ("AB", " ", "capitals"),
    ("中", " ", "Chinese"),
    ("1", " ", "digits"),
    ("!", " ", "signs"),
    (" ", "a", "white space"),
    ("\n", "a", "line feeds"),
    (" ", " a", "white space, all but the last"),
    ("  ", "", "white space at the end"),
)


def alternative_name(alternative: str) -> str:
    r"""Name what an alternative takes; "" if it takes none of the usual kinds of text.

    >>> alternative_name(r" ?\p{L}+"), alternative_name(r"\s+(?!\S)"), alternative_name("€")
    ('letters', 'white space, all but the last', '')
    """
    compiled = compile_typed(alternative)
    for taken, behind, name in _NAMES:
        match = compiled.match(taken + behind, timeout=_MAX_SECONDS)
        if match is not None and match.end() == len(taken):
            return name
    return ""


def iter_taken(
    text: str, pattern: SplitPattern, alternatives: Sequence[str]
) -> Iterator[tuple[str, int | None]]:
    """Yield each pretoken and the index of the first alternative that matches it, or None.

    Raises InvalidInputError as `iter_pretokens` does.

    >>> list(iter_taken("a-b", SplitPattern.typed(r"\\d|\\w"), [r"\\d", r"\\w"]))
    [('a', 1), ('-', None), ('b', 1)]
    """
    compiled = [compile_typed(alternative) for alternative in alternatives]
    read = with_stand_ins(text) if pattern.is_published else text
    position, ending = 0, time.monotonic() + _MAX_SECONDS
    for piece, is_match in iter_pretokens(text, pattern):
        end = position + len(piece)
        taken: int | None = None
        if is_match and (pattern.is_published or time.monotonic() < ending):
            taken = _first_match(compiled, read, position, end)
        yield piece, taken
        position = end


def _first_match(compiled: Sequence["regex.Pattern[str]"], text: str, start: int, end: int) -> int | None:
    for place, alternative in enumerate(compiled):
        try:
            match = alternative.match(text, start, timeout=_MAX_SECONDS)
        except TimeoutError:
            return None
        if match is not None and match.end() == end:
            return place
    return None
