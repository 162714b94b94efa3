"""Fresh examples for a step of Build: expressions with random inputs, and the values that they must have.

The values come from what is not the student's code: tiktoken, the lecture's functions, and Python itself.
They stay with the caller, in the page or in `tessera verify`: the student's Python gets the expressions only.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from string import ascii_lowercase

import regex

from playground.bpe import lecture
from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER
from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.lessons.workbench.harness import canonical

END, END_ID = "<|endoftext|>", 50256
_WORDS = (
    "the",
    "Token",
    "naïve",
    "café",
    "ÉTÉ",
    "ภาษาไทย",
    "สวัสดี",
    "京都",
    "안녕",
    "we",
    "DON",
    "x",
    "Zürich",
)
_MARKS = "!?.,;:()[]{}<>=+-*/#%&\"$^_`~|\\'"
_EMOJI = ("👋", "😀", "👩‍💻", "🇹🇭", "½", "²")
_CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
#: Statements that run once before a step's expressions.
SETUP = {"gpt2_files": "byte_ids, merges, vocab = load_gpt2(VOCAB_BPE, ENCODER)"}


@dataclass(frozen=True, slots=True)
class Case:
    """An expression of the student's functions; the `value` it must have, and how that is shown."""

    expression: str
    value: str
    shown: str


def draw(slug: str, seed: int, text: str = "") -> list[Case]:
    """Return fresh cases for a step, the shortest first. `text` is one more for the last step.

    >>> draw("get_stats", 1)[0]
    Case(expression='get_stats([])', value='{}', shown='{}')
    """
    cases = [
        Case(expression, canonical(value), repr(value))
        for expression, value in _DRAWN[slug](Random(seed), text)
    ]
    return sorted(dict.fromkeys(cases), key=lambda case: len(case.expression))


Drawn = Iterator[tuple[str, object]]


def _ids(random: Random, n: int, n_kinds: int) -> list[int]:
    kinds = [random.randrange(256) for _ in range(n_kinds)]
    return [random.choice(kinds) for _ in range(n)]


def _get_stats(random: Random, _: str) -> Drawn:
    for n in (0, 1, 2, 3, 4, 5, 8, 13):
        ids = _ids(random, n, min(3, n or 1))
        yield f"get_stats({ids})", lecture.get_stats(ids)
    a, b = random.sample(range(256), 2)
    for ids in ([a] * 3, [a] * 4, [b, a, a, b], [b, a, b, a], [8, a, 9, a, 9], [a, 9, a, 8, 8, 8]):
        yield f"get_stats({ids})", lecture.get_stats(ids)


def _merge(random: Random, _: str) -> Drawn:
    a, b, c = random.sample(range(256), 3)
    texts = [
        [],
        [a],
        [a, b],
        [b, a],
        [a, a, a],
        [a, a, a, a],
        [a, b, a],
        [a, b, c, a, b],
        [c, a, b, b],
        [a, c, b],
    ]
    for ids in [*texts, *(_ids(random, 9, 2) for _ in range(4))]:
        for pair in ((a, b), (a, a), tuple(ids[:2])):
            if len(pair) == 2:
                yield f"merge({ids}, {pair}, 256)", lecture.merge(ids, (pair[0], pair[1]), 256)


def _raw(random: Random, n: int, letters: str = "abcd") -> bytes:
    return "".join(random.choice(letters) for _ in range(n)).encode()


def _train(random: Random, _: str) -> Drawn:
    for n, letters, n_merges in ((1, "ab", 3), (3, "abc", 9), (6, "ab", 1), (8, "ab", 2), (12, "abc", 4),
                                 (20, "abcd", 5), (30, "zyx", 9), (40, "é京", 9)):  # fmt: skip
        raw = _raw(random, n, letters)
        yield f"train(list({raw!r}), {n_merges})", lecture.train([raw], n_merges)
    yield "train(list(b'zyzyabab'), 2)", {(122, 121): 256, (97, 98): 257}


def _learned(random: Random, letters: str = "abcd") -> dict[lecture.Pair, int]:
    return lecture.train([_raw(random, 40, letters)], random.randint(2, 6))


def _vocab_of(merges: dict[lecture.Pair, int]) -> dict[int, bytes]:
    vocab = {i: bytes([i]) for i in range(256)}
    for (left, right), new in merges.items():
        vocab[new] = vocab[left] + vocab[right]
    return vocab


def _decode(random: Random, _: str) -> Drawn:
    a, b = random.sample(range(97, 123), 2)
    merges = {(a, b): 256, (256, a): 257, (b, 257): 258}
    vocab = _vocab_of(merges)
    for new in merges.values():
        yield f"make_vocab({merges})[{new}]", vocab[new]
    byte = random.randrange(128, 256)
    yield f"make_vocab({{}})[{byte}]", bytes([byte])
    yield f"len(make_vocab({merges}))", len(vocab)
    whole = [list(each.encode()) for each in ("", *random.sample(_WORDS, 4), random.choice(_EMOJI))]
    broken = [[72, byte, 105], [0xF0, 0x9F, 33], [0xE2]]
    for ids in (*whole, *broken):
        yield f"decode({ids}, make_vocab({{}}))", bytes(ids).decode(errors="replace")
    ids = [random.choice([32, b, *merges.values()]) for _ in range(8)]
    text = b"".join(vocab[i] for i in ids).decode(errors="replace")
    yield f"decode({ids}, make_vocab({merges}))", text


def _encode(random: Random, _: str) -> Drawn:
    for _round in range(5):
        merges = _learned(random, "abc")
        pairs = random.sample([*merges], len(merges))
        if all(max(pair) < 256 for pair in pairs):
            merges = {pair: 256 + i for i, pair in enumerate(pairs)}
        for n in (0, 1, 2, 3, 6, 14):
            raw = _raw(random, n, "abcd")
            yield f"encode(list({raw!r}), {merges})", lecture.encode(raw, merges)
    for raw in (b"abc", b"ababc", b"abcbc"):
        merges = {(98, 99): 256, (97, 98): 257}
        yield f"encode(list({raw!r}), {merges})", lecture.encode(raw, merges)


def random_texts(random: Random) -> Iterator[str]:
    """Return texts of every kind: digits, marks, contractions, letters, line breaks, spaces, emoji, mixed."""
    word: Callable[[], str] = lambda: random.choice(_WORDS)  # noqa: E731
    digits: Callable[[int], str] = lambda n: "".join(random.choice("0123456789") for _ in range(n))  # noqa: E731
    for n in (1, 2, 3, 4, random.randint(5, 8), random.randint(9, 12)):
        yield digits(n)
        yield f"{word()}{random.choice(['', ' '])}{digits(n)}"
    for n in (1, 2, random.randint(3, 9)):
        yield "".join(random.choice(_MARKS) for _ in range(n))
        yield word() + random.choice(["", " "]) + random.choice(_MARKS) * n
    for short in _CONTRACTIONS:
        yield f"{word()}{short}"
        yield f"{word()}{short.upper()} {word()}"
    yield " ".join(word() + short.replace("'", "’") for short in _CONTRACTIONS)
    yield f"{word()}{random.choice(_CONTRACTIONS)}{random.choice(_CONTRACTIONS)[1:]}"
    yield "".join(random.choice(ascii_lowercase) for _ in range(60))
    yield from (
        f"{word()} {word()}",
        "é",
        "e\u0301",
        "ÈÉ é",
        "ไทย",
        "\n",
        f"{word()}\n\n{word()}\n",
        f"\t{word()}\r\n",
    )
    yield from (" " * random.randint(1, 5), f"{word()}{' ' * random.randint(2, 6)}{word()}", f"{word()}  ")
    yield from (random.choice(_EMOJI), f"{word()}{random.choice(_EMOJI)}", f"{word()} {''.join(_EMOJI)}")
    for _ in range(3):
        parts = (word(), digits(6), random.choice(_MARKS) * 2, random.choice(_EMOJI), "\n ", "'ll", "  ")
        yield "".join(random.choice(parts) for _ in range(8))


@cache
def _gpt2() -> Tokenizer:
    return get_tokenizer("gpt2")


def _pieces(text: str) -> list[str]:
    return regex.findall(SPLIT_PATTERNS["gpt2"], text)


def _split(random: Random, _: str) -> Drawn:
    for text in random_texts(random):
        yield f"split({text!r})", _pieces(text)
    merges = {**lecture.train([b"the the 12 12 12!! don't"], 9)}
    for text in ("the the", "12 1212", "don't!!", random.choice(_WORDS)):
        ids = [i for piece in _pieces(text) for i in lecture.encode(piece.encode(), merges)]
        yield f"encode_text({text!r}, {merges})", ids
    a, b = random.sample("abcdefgh", 2)
    byte_ids = {ord(a): 1, ord(b): 2}
    yield f"encode_text({a + b + b!r}, {{(1, 2): 256}}, {byte_ids})", [256, 2]


def _special_tokens(random: Random, _: str) -> Drawn:
    special = {END: 300, "<|a|>": 301}
    merges = {(116, 104): 256, (256, 101): 257}
    ends: Callable[[], str] = lambda: random.choice([*special])  # noqa: E731
    words = ["the", "a|b", "", "é", f"<|{random.choice('en')}"]
    texts = [
        ends(),
        f"the{ends()}",
        f"{ends()}the",
        f"{ends()}{ends()}the{ends()}",
        "the",
        "<|end",
        "|>the<|",
    ]
    texts += ["".join(random.choice([*words, *special]) for _ in range(5)) for _ in range(4)]
    for text in texts:
        parts = regex.split(r"(<\|endoftext\|>|<\|a\|>)", text)
        ids = [
            i for part in parts for i in ([special[part]] if part in special else _bytes_merged(part, merges))
        ]
        yield f"encode_special({text!r}, {merges}, {special})", ids
        yield f"encode_special({text!r}, {merges}, {{}})", _bytes_merged(text, merges)
    yield f"encode_special('ab{END}', {{}}, {{{END!r}: 300}}, {{97: 1, 98: 2}})", [1, 2, 300]


def _bytes_merged(text: str, merges: dict[lecture.Pair, int]) -> list[int]:
    return [i for piece in _pieces(text) for i in lecture.encode(piece.encode(), merges)]


def _gpt2_files(random: Random, _: str) -> Drawn:
    ids_of_bytes = {byte: i for i, byte in enumerate(GPT2_BYTE_ORDER)}
    vocabulary = _gpt2().vocabulary
    for byte in (32, 10, 0, 173, *random.sample(range(256), 6)):
        yield f"byte_ids[{byte}]", ids_of_bytes[byte]
        yield f"vocab[{ids_of_bytes[byte]}]", bytes([byte])
    known = (198, 220, 628, 262, 1849, 2634, 50255)  # a line break, a space, two breaks, " the", and letters
    for i in (*known, *random.sample(range(256, 50256), 12)):
        yield f"vocab[{i}]", vocabulary.raw_of(i)
    yield f"vocab[{END_ID}]", END.encode()
    yield from (("len(merges)", 50_000), ("len(vocab)", 50_257), ("len(byte_ids)", 256))
    yield "list(merges.values()) == list(range(256, 50256))", True
    yield "all(vocab[a] + vocab[b] == vocab[new] for (a, b), new in merges.items())", True


def _equals_tiktoken(random: Random, own: str) -> Drawn:
    texts = [*random_texts(random), f"{random.choice(_WORDS)}{END}\n{random.choice(_WORDS)}", END * 2]
    for text in [*texts, own]:
        ids = [int(i) for i in _gpt2().encode(text, allowed_special=frozenset({END}))]
        yield f"gpt2_encode({text!r})", ids
        yield f"gpt2_decode({ids})", text
    token = random.randrange(256)
    yield f"gpt2_decode([{token}])", bytes([GPT2_BYTE_ORDER[token]]).decode(errors="replace")


_DRAWN: dict[str, Callable[[Random, str], Drawn]] = {
    "get_stats": _get_stats,
    "merge": _merge,
    "train": _train,
    "decode": _decode,
    "encode": _encode,
    "split": _split,
    "special_tokens": _special_tokens,
    "gpt2_files": _gpt2_files,
    "equals_tiktoken": _equals_tiktoken,
}
