"""Texts on which two tokenizers may differ, made from what tokenizers are made of.

`iter_stages` yields them in stages: short ones of every kind of character first, then long ones with all
characters and samples of languages and vocabularies, then the rest of those, and random ones without end.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice, product
from random import Random

import numpy as np

from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Vocabulary
from playground.files.proof import NEW_CHARACTERS
from playground.training.parallel_texts import load_parallel_texts

#: Short texts by what a tokenizer may treat in a way of its own.
CLASSES: dict[str, tuple[str, ...]] = {
    "letters": ("a", "B", "ab", "Ab", "AB", "aB", "abC", "é", "É", "ß", "İ", "ǅ", "ʰ", "ª", "ſ"),
    "digits": ("1", "12", "123", "1234", "12345", "٣", "½", "Ⅷ", "²", "𝟘"),
    "spaces": (
        " ", "  ", "   ", "    ", " " * 8, " " * 17, "\t", "\t\t", "\xa0", "\u1680", "\u2009", "\u202f",
        "\u3000", "\u200b", "\u2581",
    ),
    "line ends": ("\n", "\n\n", "\n\n\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028"),
    "apostrophes": ("'", "''", "'s", "'S", "'t", "'ll", "'LL", "'re", "'ve", "'d", "'m", "'x", "’s"),
    "punctuation": (
        *"!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~", "...", "!!", "//", "--", "/\n",
        *"¿«€§™–“",
    ),
    "marks": ("\u0301", "\u0327", "\u0e31", "\u093f", "\u20e3", "\ufe0f", "\u200d", "\u3099", "\u0f71"),
    "normal forms": (
        "e\u0301", "a\u0300\u0301", "\u212b", "\u2126", "ﬁ", "①", "Ａ", "ｶﾞ", "\u1112\u1161\u11ab", "\u0958",
        "\u0344", "\u2f00", "ŀ", "…", "\xad",
    ),
    "scripts": (
        *"дДλΛאعनกབကሰᐊᏣ한かカㄅ", "दि", "สวัสดี", "안녕", "こんにちは", "\U00010330", "\U0001e900",
        "\U0001d4d7", "\U00012000", "\U00013000", "\U00017000",
    ),
    "CJK": ("你", "你好", "中文字", "。", "，", "、", "㐀", "\U00020000", "\uf900"),
    "emoji": ("🙂", "👍🏽", "👩‍👩‍👧", "🇩🇪", "1️⃣", "❤️"),
    "control": ("\0", "\x01", "\x1b", "\x7f", "\x80", "\ufeff", "\ue000", "\ufffe", "\U0010ffff", "\u0378"),
    "invalid": ("\ufffd", "\ufffd\ufffd"),
    "newer than an engine's Unicode": tuple("".join(NEW_CHARACTERS.values())),
}  # fmt: skip
FRAGMENTS = tuple(chain.from_iterable(CLASSES.values()))

#: One character of each kind; all pairs of them are tried, and all triples of the first few.
_KINDS = tuple("a A1 \n'.\té\u0301中你٣/-_\r🙂\u200bカ한นن\u2581\xa0<#²ǅ\u0378")
_N_IN_TRIPLES = 11
#: Differing tokens of two vocabularies that are tried on their own: the shortest, and some of the others.
_N_SHORTEST, _N_SPREAD = 300, 200
#: Added and special tokens that are tried in every way.
_N_ADDED = 64
#: Tokens of a vocabulary in one text, and characters of the Unicode planes 0 and 1.
_N_TOKENS_IN_TEXT, _N_CHARACTERS_IN_TEXT = 100, 64
#: Long texts that are tried before all characters: of languages, and of vocabularies.
_N_OF_LANGUAGES, _N_OF_VOCABULARIES = 313, 400
_CODE = (
    'def f(x: int = 0) -> str:\n\treturn f"{x:>10}"  # 100%\n\n\nclass HTMLParser2(object):\n    pass\n'
    'if (a!=b && c<=d) { x += 1; } else {\r\n\t\ty = "\\n";\r\n}\n// http://www.example.com/a_b?c=d&e=1.5e-10'
    '\n{"key": [1, 2.50, null, true], "ключ": "值"}\n<p class="x">Don\'t&nbsp;stop</p>\n$$x^2 + \\frac{1}{2}'
)


def iter_stages(one: Tokenizer, other: Tokenizer) -> Iterator[Iterator[str]]:
    """Yield stages of texts, each in the order in which to try them; a text may come again.

    The first stage is sorted, the simplest shortest text first. The last has no end.
    """
    yield iter(sorted(set(_short_texts(one, other)), key=simplicity))
    languages, vocabularies = _texts_of_languages(), _texts_of_vocabularies(one, other)
    first = islice(languages, _N_OF_LANGUAGES), islice(vocabularies, _N_OF_VOCABULARIES)
    yield chain(*first, _texts_of_characters())
    yield chain(languages, vocabularies, _random_texts(one, other))


def simplicity(text: str) -> tuple[int, list[int]]:
    """Return a key that sorts short texts before long ones, then those with simpler characters first.

    >>> sorted(["\\x80", "é", "ab", "b", "a"], key=simplicity)
    ['a', 'b', 'é', '\\x80', 'ab']
    """
    return len(text), [*map(_place, text)]


def _place(character: str) -> int:
    place = _SIMPLE.find(character)
    if place >= 0:
        return place
    return ord(character) + (1_000 if character.isprintable() else 2_000_000)


#: Characters from the simplest on; then come others that are printable, in the order of their code points.
_SIMPLE = "a0A. b1B\n'-_/!é中"


def simpler_characters(character: str) -> str:
    """Return the characters that are simpler than one, the simplest first."""
    return _SIMPLE.partition(character)[0]


def fragments_in_context() -> Iterator[str]:
    """Yield each short text alone, doubled, and beside a letter, a digit, a space and a line end."""
    for fragment in FRAGMENTS:
        yield from (fragment, fragment * 2, f"a{fragment}", f"{fragment}a", f"{fragment}1", f"1{fragment}")
        yield from (f" {fragment}", f"{fragment} ", f"{fragment}\n", f"a{fragment}b", f"a {fragment} b")


def added_in_context(names: Iterable[str]) -> Iterator[str]:
    """Yield added tokens alone, doubled, beside spaces and letters, in capitals, and cut short."""
    for name in names:
        yield from (name, name * 2, f" {name}", f"{name} ", f"  {name}  ", f"a{name}b", f"a {name} b")
        yield from (f"{name}\n", f"\n{name}", name[:-1], name.swapcase())


def names_of_added(tokenizer: Tokenizer) -> dict[str, int]:
    """Map special and other added tokens to their ids."""
    return {**tokenizer.special_tokens, **getattr(tokenizer, "added_tokens", {})}


def spread(items: Sequence[str], n_items: int) -> Sequence[str]:
    """Return at most `n_items` items, evenly from the first to the last.

    >>> spread("abcdefg", 3)
    ['a', 'd', 'g']
    """
    if len(items) <= n_items:
        return items
    return [items[place] for place in np.linspace(0, len(items) - 1, n_items).round().astype(int)]


def texts_of_tokens(vocabulary: Vocabulary) -> list[str]:
    """Return the tokens that are valid UTF-8, in the order of their ids."""
    return [text for raw in vocabulary.raws_of(vocabulary.ids) if (text := _text_of(raw))]


def _text_of(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return ""


def _short_texts(one: Tokenizer, other: Tokenizer) -> Iterator[str]:
    yield from fragments_in_context()
    yield from map("".join, product(_KINDS, repeat=2))
    yield from map("".join, product(_KINDS[:_N_IN_TRIPLES], repeat=3))
    added, others = names_of_added(one), names_of_added(other)
    differing = [name for name in {**added, **others} if added.get(name) != others.get(name)]
    yield from added_in_context(spread(differing, _N_ADDED))
    yield from added_in_context(spread([*added], _N_ADDED))
    for text in _differing_tokens(one.vocabulary, other.vocabulary):
        yield from (text, f" {text}", f"a{text}")


def _differing_tokens(one: Vocabulary, other: Vocabulary) -> list[str]:
    """Return tokens that one vocabulary lacks or numbers otherwise, and where the order of merges changes."""
    ids, other_ids = id_of_raws(one), id_of_raws(other)
    raws = [raw for raw in {**ids, **other_ids} if ids.get(raw) != other_ids.get(raw)]
    shared = [raw for raw in in_order_of_merges(one) if raw in other_ids]
    place_of = {raw: place for place, raw in enumerate(in_order_of_merges(other))}
    places = np.array([place_of.get(raw, -1) for raw in shared], np.int64)
    raws += [raw for raw, place in zip(shared, places, strict=True) if place < 0]  # no longer merged
    raws += [shared[place] for place in np.flatnonzero(np.diff(places) < 0)]
    texts = sorted(filter(None, map(_text_of, dict.fromkeys(raws))), key=len)
    return [*texts[:_N_SHORTEST], *spread(texts[_N_SHORTEST:], _N_SPREAD)]


def id_of_raws(vocabulary: Vocabulary) -> dict[bytes, int]:
    """Map the bytes of each token to its id, the largest if several tokens have the same bytes."""
    return dict(zip(vocabulary.raws_of(vocabulary.ids), vocabulary.ids.tolist(), strict=True))


def in_order_of_merges(vocabulary: Vocabulary) -> Sequence[bytes]:
    """Return the bytes of the tokens that have a rank, by rank."""
    ranks = vocabulary.ranks
    order = np.argsort(ranks, kind="stable")[int((ranks < 0).sum()) :]
    return vocabulary.raws_of(vocabulary.ids[order])


def _texts_of_languages() -> Iterator[str]:
    yield _CODE
    for n in range(30):
        for language in load_parallel_texts():
            yield from language.articles[n : n + 1]


def _texts_of_characters() -> Iterator[str]:
    """Yield runs of characters of the Unicode planes 0 and 1, without surrogates."""
    for first in range(0, 0x20000, _N_CHARACTERS_IN_TEXT):
        if not 0xD800 <= first < 0xE000:
            yield "".join(map(chr, range(first, first + _N_CHARACTERS_IN_TEXT)))


def _texts_of_vocabularies(one: Tokenizer, other: Tokenizer) -> Iterator[str]:
    """Yield all tokens, many in a text; the first texts are from all parts of the vocabularies."""
    tokens = [*dict.fromkeys([*texts_of_tokens(one.vocabulary), *texts_of_tokens(other.vocabulary)])]
    n_texts = -(-len(tokens) // _N_TOKENS_IN_TEXT)
    for first in range(n_texts):
        yield "\n".join(tokens[first::n_texts])


def _random_texts(one: Tokenizer, other: Tokenizer) -> Iterator[str]:
    random = Random(0)
    tokens = [*texts_of_tokens(one.vocabulary), *texts_of_tokens(other.vocabulary)]
    words = [word for text in _texts_of_languages() for word in text.split()]
    added = [*names_of_added(one), *names_of_added(other)] or [" "]
    sources = (FRAGMENTS, FRAGMENTS, tokens or [" "], words, added, _KINDS)
    for _ in count():
        yield "".join(random.choice(random.choice(sources)) for _ in range(random.randint(3, 40)))
