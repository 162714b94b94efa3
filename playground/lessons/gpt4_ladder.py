"""GPT-4's tokenizer built in four stages ("rungs"), each with a check that runs here."""

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
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.algorithms.bpe import BpeLearner
from playground.training.corpora import novel
from playground.training.pretoken_counts import count_pretokens

TOKENIZER, PATTERN, WHOLE = "cl100k_base", SplitPattern.named("cl100k"), SplitPattern.named("none")
BYTES = tuple(range(256))
#: The first two rungs learn this many merges from this many bytes of the shipped novel.
N_BYTES, N_MERGES = 24_000, 1_000
#: Characters that are accepted, and characters that the figure has room for.
MAX_TEXT_CHARS, MAX_CLIMBING_CHARS = 2_000, 120
#: Ids of the first merges, which step 5 compares.
FIRST_IDS = range(256, 263)


def byte_shuffle(ranks: Mapping[bytes, int]) -> list[int]:
    """Return the id of each byte; GPT-4's first 256 ids are the bytes in an order of its own.

    >>> shuffle = byte_shuffle(load_openai("cl100k_base").mergeable_ranks)
    >>> shuffle[ord("!")], shuffle[ord("h")], shuffle[ord(" ")]
    (0, 71, 220)
    """
    return [ranks[bytes([byte])] for byte in range(256)]


def two_parts(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Recover the two parts of a token by merging its bytes with lower ranks until two parts are left.

    >>> two_parts(b"hello", load_openai("cl100k_base").mergeable_ranks)
    [b'h', b'ello']
    """
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        _rank, i = min((ranks.get(a + b, 1 << 30), i) for i, (a, b) in enumerate(pairwise(parts)))
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts


def recovered(raw: bytes, ranks: Mapping[bytes, int]) -> dict[lecture.Pair, int]:
    """Return the merges of all tokens that occur within some bytes.

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
    """Encode a text; each rung of the ladder passes one more of the arguments.

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
    """Train on the beginning of the novel; return the merges and the bytes of each id."""
    text = novel().texts[0].encode()[:N_BYTES].decode(errors="ignore")
    trainer = BpeLearner(count_pretokens([text], pattern), vocab_size=256 + N_MERGES)
    trainer.advance()
    return {(merge.left, merge.right): merge.new_id for merge in trainer.merges()}, trainer.token_bytes()


def show(text: str, asked: tuple[str, ...]) -> Shown:
    """Return the text on each rung with the rung's check, the byte shuffle, and the first merges of each."""
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
    """Return the rungs of a text, each with whether its check passes, and the number of recovered merges."""
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
    """Group ids into pieces of whole characters; mark those that cross a cut and those that begin at one."""
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
    """Return accepted spellings of a token in an answer, the plainest first.

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
            return "That was learned from the novel. GPT-4's tokenizer was trained on much code."
        if not raw.strip(b" "):
            return "Code is full of indents: how many spaces does the smallest have?"
        return f"It has {len(raw)} bytes. Look at GPT-4's column in step 5."

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
    number=14,
    title="Build GPT-4",
    claim="GPT-4's tokenizer has four parts.",
    guess=Guess(
        "Can GPT-4's merges be recovered from its list of tokens?",
        ("all of them", "only some", "none"),
        right=0,
        proof="✓ tiktoken's ids",
    ),
    time="1:25:28",
    figure="build-gpt4",
    steps=(
        "Merges alone can encode any text, and decoding restores it.",
        "The pattern cuts first, so no token crosses a cut.",
        "GPT-4's merges are recovered from its ranks; its bytes are reordered.",
        "Special tokens are split off before anything else.",
        "GPT-4's first merge joins spaces, which are frequent in code.",
    ),
    inputs=(
        TextInput(
            "text", "Text", "hello world!!!? (안녕하세요!) lol123 😉<|endoftext|>", max_chars=MAX_TEXT_CHARS
        ),
        PicksInput("asked", (), max_picks=1, max_chars=10),
    ),
    try_this="Type your own text.",
    notes=Notes(
        say="Each part passes one more argument to the same encoder; the page has just checked each.",
        ask="tiktoken's table lists tokens but no merges: how can we recover them?",
        expect="Merge a token's bytes using lower ranks only; the last two parts are the merged pair.",
    ),
    show=show,
    sources=(climb, byte_shuffle, two_parts, recovered, lecture.encode),
    openings=_openings,
    told_at=3,
)
