"""The steps by which a tokenizer encodes a text, and the first step at which two tokenizers differ.

Added tokens are found, what is between them is normalized and split into pretokens, and pretokens become
tokens with ids.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from playground.bpe.special_tokens import special_finder
from playground.catalog.claude import ClaudeTokenizer
from playground.catalog.claude_marks import MARK_NAMES
from playground.catalog.extended import without_own_special_tokens
from playground.catalog.sentencepiece_file import SentencePieceFile
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.building import Pretoken
from playground.core.encoding import Encoding
from playground.core.errors import InvalidInputError, UnknownTokenError
from playground.core.tokenizer import EncodesInBatches, Tokenizer, segment

#: The step that caused a difference. With "refused" one tokenizer refuses the text.
Step = Literal["added tokens", "normalization", "split", "merges", "ids", "refused"]
_N_SHOWN = 60


class Cause(NamedTuple):
    """The first step whose results differ, and a sentence that says how."""

    step: Step
    why: str


class _Part(NamedTuple):
    """The text between two added tokens: normalized, and split into pretokens."""

    normalized: str
    pretokens: tuple[Pretoken, ...]


class _Added(NamedTuple):
    """An added token that was found, and the characters that it takes, which may be spaces too."""

    name: str
    taken: str


class _Steps(NamedTuple):
    """What the steps before merging give: the added tokens that were found, and the parts between them."""

    added: tuple[_Added, ...]
    parts: tuple[_Part, ...]


def ids_of_texts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Sequence[int] | None]:
    """Return the ids of each text, in which special tokens count as such; None for a text that is refused.

    Libraries get many texts at once.

    >>> from playground.catalog.registry import get_tokenizer
    >>> ids_of_texts(get_tokenizer("gpt2"), ["Hello world", "<|endoftext|>"])
    [[15496, 995], [50256]]
    """
    try:
        if isinstance(tokenizer, TokenizerJsonFile):
            return [*tokenizer.encode_batch(texts, allows_special=True)]
        finder = special_finder(tokenizer.special_tokens)
        special = {place for place, text in enumerate(texts) if finder.spelled(text)}
        plain = [text for place, text in enumerate(texts) if place not in special]
        if isinstance(tokenizer, EncodesInBatches):
            of_plain = iter(tokenizer.encode_batch(plain))
        else:  # without looking, at each call, through what may be a thousand special tokens
            of_plain = iter([tokenizer.encode(text).ids.tolist() for text in plain])
        return [
            _encode(tokenizer, text).ids.tolist() if place in special else next(of_plain)
            for place, text in enumerate(texts)
        ]
    except InvalidInputError:
        if len(texts) == 1:
            return [None]
        return [ids for text in texts for ids in ids_of_texts(tokenizer, [text])]


def _encode(tokenizer: Tokenizer, text: str) -> Encoding:
    return tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))


def find_cause(one: Tokenizer, other: Tokenizer, text: str) -> Cause:
    """Return the step that gives two tokenizers different tokens for a text.

    >>> from playground.catalog.registry import get_tokenizer
    >>> find_cause(get_tokenizer("cl100k_base"), get_tokenizer("qwen3"), "00").why
    'cl100k_base splits it as “00”, qwen3 as “0” “0”.'
    """
    for refusing, taking in ((one, other), (other, one)):
        try:
            _encode(refusing, text)
        except InvalidInputError as error:
            return Cause("refused", f"{refusing.name} refuses it ({error}), {taking.name} doesn’t.")
    steps, others = _steps_of(one, text), _steps_of(other, text)
    if steps.added != others.added:
        return Cause("added tokens", _why_added(one, other, steps.added, others.added))
    for part, its in zip(steps.parts, others.parts, strict=False):
        if part.normalized != its.normalized:
            shown, its_shown = _shown_reading(one, part), _shown_reading(other, its)
            return Cause("normalization", f"{one.name} reads it as {shown}, {other.name} as {its_shown}.")
    for part, its in zip(steps.parts, others.parts, strict=False):
        if _is_split_otherwise(one, other, part, its):
            shown, its_shown = _shown_split(part), _shown_split(its)
            return Cause("split", f"{one.name} splits it as {shown}, {other.name} as {its_shown}.")
    raws, other_raws = (each.vocabulary.raws_of(_encode(each, text).ids) for each in (one, other))
    raws, other_raws = [*raws], [*other_raws]
    if raws == other_raws:
        return Cause("ids", _why_ids(one, other, text))
    for tokenizer, lacking, found in ((one, other, raws), (other, one, other_raws)):
        for raw in found:
            if not lacking.vocabulary.ids_of(raw):
                token = _shown_raw(raw)
                return Cause("merges", f"{tokenizer.name} has the token {token}, {lacking.name} lacks it.")
    both = "Both vocabularies have the tokens of either side, but merges or scores choose others."
    return Cause("merges", both)


def _steps_of(tokenizer: Tokenizer, text: str) -> _Steps:
    found = [*_iter_steps(tokenizer, text)]
    return _Steps(
        tuple(each for each in found if isinstance(each, _Added)),
        tuple(each for each in found if isinstance(each, _Part)),
    )


def _iter_steps(tokenizer: Tokenizer, text: str) -> Iterator[_Added | _Part]:
    """Yield the special tokens that were found, and what is between them."""
    name_of = {token_id: name for name, token_id in tokenizer.special_tokens.items()}
    position = 0
    for token in segment(tokenizer, text, allowed_special=frozenset(tokenizer.special_tokens)).tokens:
        taken = text[token.char_start : token.char_end]
        # The unknown token is special too, but stands for other characters.
        if token.is_special and name_of[token.id] in taken:
            yield from _iter_between(tokenizer, text[position : token.char_start])
            yield _Added(name_of[token.id], taken)
            position = token.char_end
    yield from _iter_between(tokenizer, text[position:])


def _iter_between(tokenizer: Tokenizer, text: str) -> Iterator[_Added | _Part]:
    """Yield the added tokens that are found wherever a text spells them, and the parts between them."""
    if not text:
        return
    pretokens = [*tokenizer.iter_pretokens(text)]
    if not pretokens:  # the tokenizer drops all of the text
        yield _Part(_normalized(tokenizer, text, ()), ())
    for is_added, run in groupby(pretokens, lambda pretoken: isinstance(pretoken.key, int)):
        found = tuple(run)
        if is_added:
            yield from (_Added(each.text, text[each.char_start : each.char_end]) for each in found)
        else:
            yield _Part(_normalized(tokenizer, text, found), found)


def _normalized(tokenizer: Tokenizer, text: str, pretokens: Iterable[Pretoken]) -> str:
    tokenizer = without_own_special_tokens(tokenizer)
    if isinstance(tokenizer, SentencePieceFile):  # its pretokens may leave out an added space
        return tokenizer.normalized(text)
    return "".join(pretoken.text for pretoken in pretokens)


def _is_split_otherwise(one: Tokenizer, other: Tokenizer, part: _Part, its: _Part) -> bool:
    """Whether two tokenizers split a part otherwise, and one of them would give other ids if it didn't."""
    if [pretoken.text for pretoken in part.pretokens] == [pretoken.text for pretoken in its.pretokens]:
        return False
    return any(
        _build(tokenizer, own.pretokens)
        != _build(tokenizer, (pretoken._replace(key=None) for pretoken in foreign.pretokens))
        for tokenizer, own, foreign in ((one, part, its), (other, its, part))
    )


def _build(tokenizer: Tokenizer, pretokens: Iterable[Pretoken]) -> list[int] | None:
    try:
        return [token_id for pretoken in pretokens for token_id in tokenizer.build(pretoken).ids]
    except UnknownTokenError:
        return None


def _why_added(one: Tokenizer, other: Tokenizer, added: Sequence[_Added], others: Sequence[_Added]) -> str:
    for tokenizer, found, lacking, its in ((one, added, other, others), (other, others, one, added)):
        for name, _taken in found:
            if name not in (each.name for each in its):
                known = f"an added token of {tokenizer.name}"
                return f"{shown_text(name)} is {known}, and ordinary text in {lacking.name}."
    shown, its_shown = (" ".join(shown_text(each.taken) for each in found) for found in (added, others))
    return f"As added tokens {one.name} takes {shown}, {other.name} {its_shown}."


def _why_ids(one: Tokenizer, other: Tokenizer, text: str) -> str:
    pairs = zip(_encode(one, text), _encode(other, text), strict=True)
    mine, its = next((a, b) for a, b in pairs if a != b)
    token = _shown_raw(one.vocabulary.raw_of(mine))
    return f"Both have the same tokens; {token} has the id {mine} in {one.name} and {its} in {other.name}."


def _shown_reading(tokenizer: Tokenizer, part: _Part) -> str:
    """Return a normalized text in quotes; the marks of Claude's tokenizers, such as ⟨bow⟩, are named."""
    text = part.normalized
    if isinstance(tokenizer, ClaudeTokenizer) and any(mark in text for mark in MARK_NAMES):
        return f"“{''.join(MARK_NAMES.get(c) or _plain(c) for c in text[:_N_SHOWN])}”"
    return shown_text(text)


def _shown_split(part: _Part) -> str:
    shown = " ".join(f"“{_plain(pretoken.text)}”" for pretoken in part.pretokens)
    return shown or "nothing"


def shown_text(text: str) -> str:
    """Return a text in quotes, with the code points of what is not printable ASCII.

    >>> shown_text("é "), shown_text("")
    ('“é ” (U+00E9 U+0020)', 'an empty text')
    """
    if not text:
        return "an empty text"
    shown = f"“{_plain(text)}”"
    if text.isascii() and text.isprintable() and text == text.strip():
        return shown
    return f"{shown} ({' '.join(f'U+{ord(c):04X}' for c in text[:8])}{' …' if len(text) > 8 else ''})"


def _shown_raw(raw: bytes) -> str:
    """Return the bytes of a token as text, or in hexadecimal if they are a part of a character.

    >>> _shown_raw(b"the"), _shown_raw(b"\\xc3")
    ('“the”', 'of the bytes C3')
    """
    try:
        return shown_text(raw.decode())
    except UnicodeDecodeError:
        return f"of the bytes {raw[:8].hex(' ').upper()}{' …' if len(raw) > 8 else ''}"


def _plain(text: str) -> str:
    """Return a text in one line, with escapes for what is not printable."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:_N_SHOWN])
    return shown + ("…" if len(text) > _N_SHOWN else "")
