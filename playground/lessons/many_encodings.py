"""The number of ways in which a vocabulary can write a text, the shortest, and the one of BPE."""

from collections.abc import Sequence
from typing import Any

from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Vocabulary
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings

#: Bytes of the text that are counted, bytes of the longest token that is looked for, and bars of the chart.
MAX_BYTES, MAX_TOKEN_BYTES, MAX_BARS = 80, 64, 20
_CHOICES = {"gpt2": "GPT-2", "cl100k_base": "GPT-4", "o200k_base": "GPT-4o"}


def count_encodings(vocabulary: Vocabulary, raw: bytes) -> list[int]:
    """Return the number of sequences of 0, 1, 2, … tokens that write some bytes, by dynamic programming.

    >>> count_encodings(get_tokenizer("gpt2").vocabulary, b"the")
    [0, 1, 2, 1]
    """
    found = [[1]]  # for each end: the number of sequences, by number of tokens
    for end in range(1, len(raw) + 1):
        ways = [0] * (end + 1)
        for start in range(max(0, end - MAX_TOKEN_BYTES), end):
            if vocabulary.ids_of(raw[start:end]):
                for n_tokens, n in enumerate(found[start]):
                    ways[n_tokens + 1] += n
        found.append(ways)
    return found[-1]


def shortest(vocabulary: Vocabulary, raw: bytes) -> list[bytes]:
    """Return the fewest tokens that write some bytes; of several answers, one whose last token is longest.

    >>> shortest(get_tokenizer("gpt2").vocabulary, b" misfortunes")
    [b' misfortune', b's']
    """
    best: list[tuple[int, int]] = [(0, 0)]  # for each end: the number of tokens, and the last one's start
    for end in range(1, len(raw) + 1):
        starts = range(max(0, end - MAX_TOKEN_BYTES), end)
        ways = [(best[at][0] + 1, at) for at in starts if vocabulary.ids_of(raw[at:end])]
        best.append(min(ways))
    parts: list[bytes] = []
    end = len(raw)
    while end:
        start = best[end][1]
        parts.insert(0, raw[start:end])
        end = start
    return parts


def show(text: str, tokenizer: str) -> Shown:
    """Return the encodings by number of tokens, BPE's tokens and the fewest ones."""
    encoder = get_tokenizer(tokenizer)
    shown = text.encode()[:MAX_BYTES].decode(errors="ignore")
    raw = shown.encode()
    if not raw:
        return Shown({"bars": [], "first": 1, "total": "0", "bpe": [], "fewest": []}, needs="Type a word.")
    ways = count_encodings(encoder.vocabulary, raw)
    fewest, ids = shortest(encoder.vocabulary, raw), encoder.encode(shown).ids.tolist()
    first = len(fewest)
    figure: dict[str, Any] = {
        "first": first,
        "bars": [str(n) for n in ways[first : first + MAX_BARS]],
        "total": f"{sum(ways):,}" if sum(ways) < 10**15 else f"{float(sum(ways)):.1e}",
        "bpe": _tokens(encoder, ids),
        "fewest": _tokens(encoder, [encoder.vocabulary.ids_of(part)[0] for part in fewest]),
    }
    needs = f"The first {len(shown)} characters are counted." if shown != text else ""
    if not needs and len(fewest) == len(ids):
        needs = "BPE's encoding is as short as any: try “ haughty”, with its space."
    return Shown(figure, _question(len(fewest), len(ids)), needs)


def _tokens(encoder: Tokenizer, ids: Sequence[int]) -> list[dict[str, Any]]:
    raws = [encoder.vocabulary.raw_of(token_id) for token_id in ids]
    return [
        {"text": raw.decode(errors="replace"), "id": token_id}
        for raw, token_id in zip(raws, ids, strict=True)
    ]


def _question(n_fewest: int, n_bpe: int) -> Question:
    def hint(guess: str) -> str:
        if n_bpe in readings(guess) and n_bpe != n_fewest:
            return "That is BPE's encoding. Look for the first bar of the chart."
        return "The first bar of the chart stands at the fewest tokens."

    return Question("How many tokens has the shortest encoding?", str(n_fewest), hint)


def _openings(text: str, tokenizer: str) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": tokenizer}),
        Opening("merge_tree", {"text": text, "tokenizer": tokenizer}),
        Opening("expect", {"text": text, "mode": "cut"}),
    )


MANY_ENCODINGS = Lesson(
    slug="many-encodings",
    number=28,
    title="One text, many encodings",
    claim="A text has many encodings; BPE always takes the same one.",
    guess=Guess(
        "In how many ways can GPT-2's tokens spell “ misfortunes”?",
        ("1", "12", "1,005"),
        right=2,
        proof="1,005",
    ),
    time="",
    figure="many-encodings",
    steps=(
        "BPE's merges give this one encoding.",
        "All encodings, counted exactly, by their number of tokens.",
        "The shortest encoding is not always the one of BPE.",
    ),
    inputs=(
        TextInput("text", "Text", " misfortunes", max_chars=2_000),
        ChoiceInput("tokenizer", "Tokenizer", "gpt2", _CHOICES),
    ),
    try_this="Type your own name.",
    notes=Notes(
        say=(
            "Any row of tokens that spells the text decodes to it. Training sees only BPE's encoding, so the "
            "others look strange to the model."
        ),
        ask="Why would you train a model on several encodings of the same text?",
        expect="It gets used to typos and unseen splits: subword regularization (Kudo 2018), BPE-dropout.",
    ),
    show=show,
    sources=(count_encodings, shortest),
    openings=_openings,
    asked_at=2,
    told_at=2,
)
