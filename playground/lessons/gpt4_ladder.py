"""Lesson 16: GPT-4's tokenizer in four rungs, each with what it adds and a check that it runs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations, pairwise
from typing import Any

from playground.bpe import lecture
from playground.bpe.special_tokens import iter_special_parts
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.openai import load_openai
from playground.core.errors import InvalidInputError
from playground.core.text_units import is_utf8
from playground.lessons.inputs import PicksInput, TextInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown
from playground.training.corpora import novel
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer
from playground.training.warm_up import warm_up

TOKENIZER, PATTERN, WHOLE = "cl100k_base", SplitPattern.named("cl100k"), SplitPattern.named("none")
BYTES = tuple(range(256))
#: What the first two rungs learn from, the beginning of the shipped novel, and how many merges.
N_BYTES, N_MERGES = 24_000, 1_000
#: The figure has room for the beginning of a text.
MAX_TEXT_CHARS, MAX_CLIMBING_CHARS = 2_000, 120
#: The first merges that stand side by side.
FIRST_IDS = range(256, 263)


def byte_shuffle(ranks: Mapping[bytes, int]) -> list[int]:
    """The id of each byte: GPT-4's first 256 ids are bytes, and not in their order.

    >>> shuffle = byte_shuffle(load_openai("cl100k_base").mergeable_ranks)
    >>> shuffle[ord("!")], shuffle[ord("h")], shuffle[ord(" ")]
    (0, 71, 220)
    """
    return [ranks[bytes([byte])] for byte in range(256)]


def two_parts(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """A token's two parts, which no table tells: its bytes, merged by lower ranks only, until two are left.

    >>> two_parts(b"hello", load_openai("cl100k_base").mergeable_ranks)
    [b'h', b'ello']
    """
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        _rank, i = min((ranks.get(a + b, 1 << 30), i) for i, (a, b) in enumerate(pairwise(parts)))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts


def recovered(raw: bytes, ranks: Mapping[bytes, int]) -> dict[lecture.Pair, int]:
    """The merges of all tokens that stand within some bytes.

    >>> recovered(b" the", load_openai("cl100k_base").mergeable_ranks)
    {(220, 83): 259, (71, 68): 383, (83, 71): 339, (259, 71): 270, (339, 68): 1820, (270, 68): 279}
    """
    within = {raw[start:end] for start, end in combinations(range(len(raw) + 1), 2)}
    merges = {}
    for token in sorted(within & ranks.keys(), key=lambda token: (len(token), token)):
        if len(token) > 1:
            left, right = two_parts(token, ranks)
            merges[ranks[left], ranks[right]] = ranks[token]
    return merges


def climb(
    text: str,
    merges: Mapping[lecture.Pair, int],
    pattern: SplitPattern = WHOLE,
    byte_ids: Sequence[int] = BYTES,
    special: Mapping[str, int] | None = None,
) -> list[int]:
    """The ids of a text; each rung of the ladder adds one of the arguments.

    >>> climb("aaabdaaabac", {(97, 97): 256, (256, 97): 257, (257, 98): 258})
    [258, 100, 258, 97, 99]
    """
    ids = []
    for part, is_special in iter_special_parts(text, special or {}):
        if is_special and special:
            ids.append(special[part])
        else:
            for pretoken, _ in iter_pretokens(part, pattern):
                shuffled = bytes(byte_ids[byte] for byte in pretoken.encode())
                ids += lecture.encode(shuffled, merges)
    return ids


@cache
def own_merges(pattern: SplitPattern) -> tuple[dict[lecture.Pair, int], list[bytes]]:
    """What the loop learns from the novel's beginning, and the bytes of each id."""
    warm_up()
    text = novel().texts[0].encode()[:N_BYTES].decode(errors="ignore")
    trainer = Trainer(count_pretokens([text], pattern), vocab_size=256 + N_MERGES)
    trainer.advance()
    return {(merge.left, merge.right): merge.new_id for merge in trainer.merges()}, trainer.token_bytes()


def show(text: str, asked: tuple[str, ...]) -> Shown:
    """The text on each rung with that rung's check, the byte shuffle, and first merges side by side."""
    if asked and asked[0] not in map(str, FIRST_IDS):
        raise InvalidInputError(
            f"asked must be a token from {FIRST_IDS[0]} to {FIRST_IDS[-1]}, and is {asked[0]!r:.60}"
        )
    token_id = int(asked[0]) if asked else FIRST_IDS[0]
    gpt4, climbing = load_openai(TOKENIZER), text[:MAX_CLIMBING_CHARS]
    rungs, n_recovered = _climbed(climbing)
    basic_raws, cut_raws = (own_merges(pattern)[1] for pattern in (WHOLE, PATTERN))
    figure: dict[str, Any] = {
        "rungs": rungs,
        "shuffle": _shuffle(),
        "used": sorted(set(climbing.encode())),
        "n_recovered": n_recovered,
        "asked": token_id,
        "first_ids": list(FIRST_IDS),
        "firsts": [
            [_shown(raw_of(first)) for first in FIRST_IDS]
            for raw_of in (basic_raws.__getitem__, cut_raws.__getitem__, gpt4.vocabulary.raw_of)
        ],
    }
    question = _question(token_id, (basic_raws[token_id], cut_raws[token_id]))
    if not text:
        return Shown(figure, question, "Type a text.")
    sentences = [] if climbing == text else [f"The first {MAX_CLIMBING_CHARS} characters are shown."]
    if rungs[3]["n"] == rungs[2]["n"]:
        sentences.append("No special token here: add <|endoftext|>.")
    return Shown(figure, question, " ".join(sentences))


@lru_cache(maxsize=16)
def _climbed(climbing: str) -> tuple[list[dict[str, Any]], int]:
    """The rungs of a text, each with whether its check passes, and how many merges were recovered."""
    gpt4 = load_openai(TOKENIZER)
    shuffle, special = _shuffle(), gpt4.special_tokens
    pretokens = [pretoken for pretoken, _ in iter_pretokens(climbing, PATTERN)]
    merges: dict[lecture.Pair, int] = {}
    for pretoken in pretokens:
        merges |= _recovered(pretoken)
    (basic, basic_raws), (cut, cut_raws) = own_merges(WHOLE), own_merges(PATTERN)
    on_rung = (
        (climb(climbing, basic), basic_raws.__getitem__),
        (climb(climbing, cut, PATTERN), cut_raws.__getitem__),
        (climb(climbing, merges, PATTERN, shuffle), gpt4.vocabulary.raw_of),
        (climb(climbing, merges, PATTERN, shuffle, special), gpt4.vocabulary.raw_of),
    )
    cuts = set(accumulate(len(pretoken.encode()) for pretoken in pretokens))
    rungs = [_rung(ids, raw_of, cuts, special) for ids, raw_of in on_rung]
    checks = (
        b"".join(map(basic_raws.__getitem__, on_rung[0][0])).decode() == climbing,
        rungs[1]["n_crossing"] == 0,
        on_rung[2][0] == list(gpt4.encode(climbing)),
        on_rung[3][0] == list(gpt4.encode(climbing, allowed_special=frozenset(special))),
    )
    return [{**rung, "passes": passes} for rung, passes in zip(rungs, checks, strict=True)], len(merges)


def _rung(
    ids: Sequence[int], raw_of: Callable[[int], bytes], cuts: Collection[int], special: Mapping[str, int]
) -> dict[str, Any]:
    """The ids as pieces of whole characters: which cross a cut, and which begin at one."""
    pieces: list[dict[str, Any]] = []
    held: list[int] = []
    raw, start, n_crossing, is_crossing = b"", 0, 0, False
    for token_id in ids:
        held.append(token_id)
        token = raw_of(token_id)
        begin = start + len(raw)
        raw += token
        if any(place in cuts for place in range(begin + 1, start + len(raw))):
            n_crossing, is_crossing = n_crossing + 1, True
        if is_utf8(raw):
            pieces.append(
                {"text": raw.decode(), "ids": held, "crosses": is_crossing, "is_cut": start in cuts}
                | {"is_special": held[0] in special.values()}
            )
            start, held, raw, is_crossing = start + len(raw), [], b"", False
    return {"n": len(ids), "n_crossing": n_crossing, "pieces": pieces}


@cache
def _shuffle() -> list[int]:
    return byte_shuffle(load_openai(TOKENIZER).mergeable_ranks)


@lru_cache(maxsize=1_000)
def _recovered(pretoken: str) -> dict[lecture.Pair, int]:
    return recovered(pretoken.encode(), load_openai(TOKENIZER).mergeable_ranks)


def _shown(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"⟨{raw.hex(' ').upper()}⟩"


_COUNTED = ("", "one", "two", "three", "four", "five", "six", "seven", "eight")


def spelled(raw: bytes) -> tuple[str, ...]:
    """Ways to write a token down in an answer, the plainest first.

    >>> spelled(b"  "), spelled(b" t")
    (('two spaces', '2 spaces', '··', '␣␣', '  '), ('·t', 't', '␣t'))
    """
    text = _shown(raw)
    n = len(text)
    if text.strip(" "):
        marked = text.replace("\n", "⏎").replace("\r", "␍").replace("\t", "→")
        plain = [text.strip()] if text.strip() else []
        return tuple(dict.fromkeys([marked.replace(" ", "·"), *plain, marked.replace(" ", "␣")]))
    named = (f"{_COUNTED[n]} spaces",) if n < len(_COUNTED) else ()
    return (*named, f"{n} spaces", "·" * n, "␣" * n, text)


def _question(token_id: int, own: Sequence[bytes]) -> Question:
    raw = load_openai(TOKENIZER).vocabulary.raw_of(token_id)
    answer, *also = spelled(raw)

    def hint(guess: str) -> str:
        if guess.strip() and guess.strip() in [other for merge in own for other in spelled(merge)]:
            return "That is what the novel teaches. GPT-4 read much code."
        if not raw.strip(b" "):
            return "Code is full of indents: how many spaces has the smallest?"
        return f"It has {len(raw)} bytes; choose another column in step 5, and its place is shown."

    asks = f"Which text is cl100k's token {token_id} (with · for a space)?"
    return Question(asks, answer, hint, tuple(also), is_number=False)


def _openings(text: str, **_chosen: object) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": TOKENIZER}),
        Opening("merge_tree", {"text": text, "tokenizer": TOKENIZER}),
        Opening("train", {"chosen": {"train.corpus": novel().title}}),
    )


BUILD_GPT4 = Lesson(
    slug="build-gpt4",
    number=16,
    title="Build GPT-4",
    claim="GPT-4's tokenizer is built in four parts.",
    time="1:25:28",
    figure="build-gpt4",
    steps=(
        "Merges alone: any text comes back.",
        "The pattern cuts first, and no token crosses.",
        "GPT-4's merges are recovered from its ranks; bytes are shuffled.",
        "Special tokens are taken out before all else.",
        "A tokenizer that learns from code merges spaces first.",
    ),
    inputs=(
        TextInput(
            "text", "Text", "hello world!!!? (안녕하세요!) lol123 😉<|endoftext|>", max_chars=MAX_TEXT_CHARS
        ),
        PicksInput("asked", (), max_picks=1, max_chars=10),
    ),
    try_this="Type your own text.",
    notes=Notes(
        say="Each part is the same loop with one argument more; the page has just checked each.",
        ask="tiktoken's table has tokens and no merges: how do they come back?",
        expect="Merge a token's bytes by lower ranks only; the last two parts are the pair.",
    ),
    show=show,
    sources=(climb, byte_shuffle, two_parts, recovered, lecture.encode),
    openings=_openings,
)
