"""Proof of exports: a library cuts and encodes a difficult text and must give our ids.

The loading of each format is in that format's module.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import zip_longest
from typing import NamedTuple

import regex

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.errors import CannotHoldError, PlaygroundError
from playground.core.extras import how_to_install
from playground.files.checks import Files, shown
from playground.workers.child import WORKER_MARK

Encode = Callable[[str], Sequence[int]]

#: Characters on which engines with different versions of Unicode disagree: letters, marks and numbers that a
#: version added, and one whose class changed.
NEW_CHARACTERS = {
    "characters of Unicode 15.1": "\U0002ebf0",
    "characters of Unicode 16": "\U00010d4a\U000105c0",
    "characters of Unicode 17": "\U000323b0\u1acf\U00011de0",
    "ʕ (U+0295)": "ʕ",
}
#: Only this many special tokens are tried in every way.
_TRIED_SPECIAL = 16

#: A description of the test text.
TEST_TEXT = (
    "many scripts, numbers, contractions, emoji and marks, every ASCII character and every kind of white "
    "space in odd places, and the special tokens alone, doubled, cut short and inside words"
)
_WHITE_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000"
_WORDS = (
    "Hello world, HTMLParser camelCase ABCdef ǅabc naïve ﬁ Straße İstanbul Ǆ ʰʲ ªº",
    "don't DON'T I'll I'LL we've they'RE it's IT'S 'S's 'd'D we'ſ you'Kre o'clock ''ll",
    "Привет, мир! Καλημέρα κόσμε. שלום עולם! مرحبا بالعالم ٣٣٣٣ नमस्ते दुनिया १२३४५ สวัสดีชาวโลก ༄༅ བོད་སྐད་",
    "你好，世界。 こんにちは世界 안녕하세요 세계 မင်္ဂလာပါ ሰላም ᓄᓇᕗᑦ ᏣᎳᎩ 𝓗𝓮𝓵𝓵𝓸 𐌰𐌱 𞤀𞤣𞤤𞤢𞤥 ꙮ",
    "0 12 123 1234567 3.14159 1,000,000 ½ ² Ⅷ ③ 𝟘𝟙 ৪ 1a2b 007 1e400 0x7F",
    "🙂 👩‍👩‍👧‍👦 🇩🇪🇫🇷🇰 👍🏽 ❤️ e\u0301 a\u0300\u0301\u0327 Z̴̡͎͊a̷̛͓ \u0301x \ufe0f \u200d \u200b\ufeff \u00ad",
    "... !!! ??? a/b//\n/c\n -- == =>\r\n{[(<>)]} ¿¡ «» € ™ § http://a.b/c?d=e#f_g `x` $x^2$ a|b\\n ~%&*+@;:",
    "  two  spaces \n\n\tx  ", "\r\n\r\na\r\rb\n \n  \n\n", " \n", "x" + " " * 30 + "y", "trailing   ",
    "a" * 40 + " " + "ab" * 30 + "1" * 20, "\0\x01\x7f\x80\x9f\ufffd\ufffe\U0010ffff\ue000",
)  # fmt: skip


class Loaded(NamedTuple):
    """A library that has loaded an export: its name and version, its encoder and its pretokenizer.

    `encode` recognizes all special tokens. `cut` returns the pretokens of a test text. `note` says what else
    the library needs to give the same ids.
    """

    library: str
    encode: Encode
    cut: Callable[[str], Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """Evidence that a library gives the same ids; `caveat` says where it may differ, or is "".

    `is_cut_compared` is False where only ids were compared, and not the pretokens too. `difference` is the
    first difference of a file that is written all the same. `missing` is the line that installs a library
    that is not there to compare with.

    >>> Proof("tiktoken 0.14.0", 1234).sentence
    "Equal in tiktoken 0.14.0: this app's test text is cut alike, into the same 1,234 ids."
    """

    library: str
    n_ids: int
    caveat: str = ""
    is_cut_compared: bool = True
    difference: str = ""
    missing: str = ""

    @property
    def sentence(self) -> str:
        """The proof as a sentence."""
        if self.missing:
            return f"Not compared with {self.library}, which is not installed; to compare: {self.missing}"
        if self.difference:
            return f"Not equal in {self.library}: {self.difference}. {self.caveat}"
        how = "is cut alike, into" if self.is_cut_compared else "becomes"
        text = f"Equal in {self.library}: this app's test text {how} the same {self.n_ids:,} ids."
        return f"{text} {self.caveat}".rstrip()


@dataclass(frozen=True, slots=True)
class Export:
    """Files for a library, and the proof that it reads them as we do.

    `program` is the Python that loads files without a split pattern; "" for files that need none. `binary`
    are files that are no text, by name.
    """

    files: Files
    proof: Proof
    program: str = ""
    binary: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def every_file(self) -> dict[str, str | bytes]:
        """All files by name, those of text first."""
        return {**self.files, **self.binary}


def proof_texts(special_tokens: Sequence[str] = ()) -> list[str]:
    """Return the test text in parts.

    Scripts, numbers, contractions, emoji, marks, all of ASCII, all kinds of white space, and special tokens
    alone, doubled, shortened and between letters.

    >>> "x<s>y" in proof_texts(["<s>"])
    True
    """
    texts = list(_WORDS)
    texts += [f"a{chr(code)}b {chr(code)}{chr(code)}1" for code in range(128)]
    texts += [f"a{c}b{c}{c}c {c}\n{c} d{c}" for c in _WHITE_SPACE]
    for token in special_tokens[:_TRIED_SPECIAL]:
        texts += [token, f"{token}{token}", f"x{token}y", f" {token} \n", f"{token[:-1]} {token[1:]}"]
    return [*texts, " a".join(special_tokens)]


def prove(
    encode: Encode,
    load: Callable[[], Loaded],
    model: BpeModel,
    *,
    cut: Callable[[str], list[str]] | None = None,
) -> Proof:
    """Cut and encode the test text with both; raise CannotHoldError with the first part that differs.

    `load` gives the files to their library; if it is not installed, the proof says that nothing is compared.
    `cut` is required if the tokenizer does not cut as `regex` does with the model's pattern.
    """
    try:
        loaded = load()
    except ModuleNotFoundError as error:
        return Proof(error.name or "", 0, missing=how_to_install(error.name or ""))
    library = loaded.library
    cut = cut or partial(_cut, pattern=model.pattern)
    n_ids = 0
    with library_errors(library):
        for text in proof_texts():
            ours, theirs = cut(text), list(loaded.cut(text))
            if ours != theirs:
                raise CannotHoldError(f"{library} {_difference(text, ours, theirs)}")
        for text in proof_texts(tuple(model.special_tokens)):
            ids, other = list(encode(text)), list(loaded.encode(text))
            if ids != other:
                raise CannotHoldError(f"{library} gives other ids for {shown(text)}: {other}, here {ids}")
            n_ids += len(ids)
        others = [
            name
            for name, characters in NEW_CHARACTERS.items()
            if any(cut(text) != list(loaded.cut(text)) for text in map(_around, characters))
        ]
    caveat = f"It cuts {' and '.join(others)} otherwise than this app." if others else ""
    return Proof(library, n_ids, " ".join(filter(None, [loaded.note, caveat])))


def _cut(text: str, pattern: SplitPattern) -> list[str]:
    return [pretoken for pretoken, _ in iter_pretokens(text, pattern)]


def _difference(text: str, ours: list[str], theirs: list[str]) -> str:
    if sum(map(len, theirs)) < len(text):
        return r"leaves out text that the split pattern does not match; let the pattern end with |[\s\S]"
    place = next(n for n, pair in enumerate(zip_longest(ours, theirs)) if pair[0] != pair[1])
    after = f" after {shown(ours[place - 1])}" if place else ""
    cut_off = f"it cuts off {shown(theirs[place])}{after}, not {shown(ours[place])}"
    return f"reads the split pattern otherwise: {cut_off}"


def new_texts() -> list[str]:
    """Return texts with characters that only newer Unicode versions know."""
    return [_around(character) for characters in NEW_CHARACTERS.values() for character in characters]


@contextmanager
def library_errors(library: str) -> Iterator[None]:
    """Turn any error of a library, including a Rust panic, into CannotHoldError."""
    try:
        # A worker has one thread, so no other messages are lost.
        with silenced_panics() if WORKER_MARK in os.environ else nullcontext():
            yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, PlaygroundError):
        raise
    except BaseException as error:  # pyo3's PanicException is not an Exception
        if "retry-limit" in str(error):
            raise CannotHoldError(
                f"a pattern takes {library} too many tries; simpler repeats need fewer"
            ) from None
        raise CannotHoldError(_in_plain_words(str(error), library)) from None


#: Messages of libraries about a file, and their meaning; "{}" is what the message names.
_MEANINGS = {
    r"Missing vocab/merges": "its model lacks its merges; BPE has a list of them, which may be empty",
    r"Merges text file invalid|object is not iterable|untagged enum MergeType":
        "its merges are no pairs of tokens, such as \"a b\"",
    r"Token `(.*?)` out of vocabulary": "its merges have the token {}, which its vocabulary lacks",
    r"missing field `(\w+)`": "a part of it lacks its {}",
    r"unknown variant `(.*?)`, expected (?:one of )?(.*?)(?: at line|$)": "a part of it is {}; valid are {}",
    r"invalid (?:type|value): (?:(?:string|integer|boolean|floating point) )?[`\"]?(.*?)[`\"]?, expected "
    r"(.*?)(?: at|$)": "a part of it is {}, where {} is valid",
    r"(WordPiece|WordLevel) error: Missing \[UNK\] token": "the unk_token of its {} is not in its vocabulary",
    r"Unknown tokenizer version '(.*?)'": "its version is {}; 1.0 is known",
    r"unknown token but `unk_id` is missing":
        "the text has a character without a piece, and it has no unk_id",
    r"UnkIdNotInVocabulary": "its unk_id is the number of no piece; pieces count from 0",
    r"EmptyVocabulary": "its vocabulary is empty",
    r"Oniguruma error: (.*?)(?: at line|$)": "a pattern of it does not compile: {}",
    r"precompiled_charsmap|rule is broken|Trie data size": "its normalizer has a damaged table",
    r"byte piece (\S+) is (?:found although|invalid)":
        "the piece {} stands among its pieces as a byte; a model with byte_fallback has <0x00> to "
        "<0xFF>, and one without has none",
    r"there are not 256 byte pieces": "it falls back on bytes and lacks one of the 256, <0x00> to <0xFF>",
    r"(\S+) is already defined": "the piece {} comes twice",
}  # fmt: skip
#: Names of JSON values in messages of `tokenizers`.
_WORDS_OF_JSON = {
    "struct TruncationParams": "null, or an object with max_length, stride, strategy and direction,",
    "struct PaddingParams":
        "null, or an object with strategy, direction, pad_to_multiple_of, pad_id, pad_type_id and pad_token,",
    "struct AddedTokenWithId":
        "an object with id, content, single_word, lstrip, rstrip, normalized and special",
    "string or map": 'a text, {"String": …} or {"Regex": …}',
    **dict.fromkeys(["usize", "u8", "u32", "u64"], "a whole number from 0 on"),
    "a sequence": "a list", "sequence": "a list", "a map": "an object", "map": "an object",
    "a boolean": "true or false",
}  # fmt: skip


def _in_plain_words(message: str, library: str) -> str:
    """Explain a library's message about a file, with the message behind it.

    >>> _in_plain_words("UnkIdNotInVocabulary at line 1", "tokenizers 1.0").partition(" (")[0]
    'its unk_id is the number of no piece; pieces count from 0'
    """
    for said, meaning in _MEANINGS.items():
        found = regex.search(said, message)
        if found:
            named = (_WORDS_OF_JSON.get(part, part.replace("`", "")) for part in found.groups())
            return f"{meaning.format(*named)} ({library}: {message[:120]})"
    return f"{library} cannot use it: {message[:200]}"


@contextmanager
def silenced_panics() -> Iterator[None]:
    """Discard this process's standard error, to which Rust writes its panics."""
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@cache
def versioned(library: str) -> str:
    """Return the name of an installed library with its version.

    >>> versioned("tiktoken").split()[0]
    'tiktoken'
    """
    from importlib.metadata import version  # imported here because it takes longer than reading a tokenizer

    return f"{library} {version(library)}"


def _around(character: str) -> str:
    return f"a{character}b {character}{character} {character}:A '{character} 1{character}2 \n{character}"
