"""An encoder merges the pair with the lowest rank first, which is not longest match."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from playground.analysis.traces import encoding_frames
from playground.catalog.registry import get_tokenizer
from playground.core.building import Merged
from playground.core.tokenizer import Tokenizer
from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings

TOKENIZER = "gpt2"
#: Bytes of the word that are encoded.
MAX_BYTES = 24


def lowest_rank_first(merged: Merged) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the rank of each merge that the encoder makes, and the parts after the merge.

    >>> gpt2 = get_tokenizer("gpt2")
    >>> made = gpt2.build(next(iter(gpt2.iter_pretokens("hug"))))
    >>> list(lowest_rank_first(made))
    [(1018, [b'h', b'ug'])]
    """
    bounds = list(range(len(merged.raw) + 1))
    for step in merged.steps:
        bounds.remove(step.middle)
        yield step.rank, [merged.raw[a:b] for a, b in pairwise(bounds)]


def longest_first(tokenizer: Tokenizer, raw: bytes) -> list[bytes]:
    """Split bytes from the left into the longest token that matches at each place.

    >>> longest_first(get_tokenizer("gpt2"), b"strawberry")
    [b'stra', b'wb', b'erry']
    """
    parts = []
    while raw:
        n = next(n for n in range(len(raw), 0, -1) if n == 1 or tokenizer.vocabulary.ids_of(raw[:n]))
        parts.append(raw[:n])
        raw = raw[n:]
    return parts


def show(word: str) -> Shown:
    """Return the first pretoken encoded both ways, with the merges for the player."""
    tokenizer = get_tokenizer(TOKENIZER)
    pretoken = next(iter(tokenizer.iter_pretokens(word[:200])), None)
    if pretoken is None:
        return Shown({"played": None, "ranked": [], "greedy": []}, needs="Type a word.")
    raw = pretoken.text.encode()[:MAX_BYTES].decode(errors="ignore").encode()
    merged = tokenizer.build(pretoken._replace(text=raw.decode()))
    if not isinstance(merged, Merged):
        raise TypeError(f"{TOKENIZER} merges")
    merges = list(lowest_rank_first(merged))
    ranked = merges[-1][1] if merges else [raw[n : n + 1] for n in range(len(raw))]
    greedy = longest_first(tokenizer, raw)
    frames = encoding_frames(merged)
    figure: dict[str, Any] = {
        "played": {
            "text": raw.decode(),
            "ids": tokenizer.encode(raw.decode()).ids.tolist(),
            "is_whole": False,
            "leaves": list(map(_spelled, frames.leaves)),
            "pair_ranks": frames.pair_ranks,
            "steps": [
                [*step, _spelled(raw[made.start : made.end])]
                for step, made in zip(frames.steps, merged.steps, strict=True)
            ],
        },
        "ranked": _tokens(tokenizer, ranked),
        "greedy": _tokens(tokenizer, greedy),
    }
    is_cut = len(raw) < len(word.encode())
    sentences = [f"Only this part is encoded: “{raw.decode()}”."] if is_cut else []
    if ranked == greedy:
        sentences.append("Both methods agree on this word: try strawberry.")
    return Shown(figure, _question(raw, ranked), " ".join(sentences))


def _tokens(tokenizer: Tokenizer, parts: Sequence[bytes]) -> list[dict[str, Any]]:
    return [{"text": _spelled(part), "id": tokenizer.vocabulary.ids_of(part)[0]} for part in parts]


def _spelled(raw: bytes) -> str:
    r"""Return bytes as text, with bytes that aren't valid UTF-8 as ⟨E2⟩.

    >>> _spelled(b"a\xe2")
    'a⟨E2⟩'
    """
    text = raw.decode(errors="surrogateescape")
    return "".join(
        f"⟨{ord(letter) - 0xDC00:02X}⟩" if 0xDC80 <= ord(letter) <= 0xDCFF else letter for letter in text
    )


def _question(raw: bytes, ranked: Sequence[bytes]) -> Question:
    n_merges = len(raw) - len(ranked)

    def hint(guess: str) -> str:
        if len(ranked) in readings(guess):
            return "That is the number of tokens. Each merge makes the row one part shorter."
        return "Count the bytes at the start and the tokens at the end; each merge makes one part fewer."

    asks = f"How many merges turn the bytes of “{raw.decode()}” into tokens?"
    return Question(asks, str(n_merges), hint)


def _openings(word: str) -> Sequence[Opening]:
    return (
        Opening("merge_tree", {"text": word, "tokenizer": TOKENIZER}),
        Opening("tokenize", {"text": word, "tokenizer": TOKENIZER}),
    )


LOWEST_RANK = Lesson(
    slug="lowest-rank",
    number=11,
    title="Encoding",
    claim="Encoding merges the pair with the lowest rank first.",
    guess=Guess(
        "How does GPT-2 cut strawberry?",
        ("straw·berry", "st·raw·berry", "stra·wb·erry"),
        right=1,
        proof="st 301 raw 1831 berry 8396",
    ),
    time="48:21",
    figure="lowest-rank",
    steps=(
        "Between two parts: the rank of their pair, if a token joins them.",
        "Longest match takes the longest token, from left to right.",
        "Play: the pair with the lowest rank merges first, again and again.",
        "Where the two differ, GPT-2 uses the result by rank.",
    ),
    inputs=(TextInput("word", "Word", "strawberry", max_chars=200, is_line=True),),
    try_this="Play step 3; then type a word.",
    notes=Notes(
        say="Encoding replays the merges of training. Ids 0–255 are bytes, so the first merge has rank 256.",
        ask="Why can't we simply take the longest token that matches?",
        expect="The ids could differ from those that the model was trained on.",
    ),
    show=show,
    sources=(lowest_rank_first, longest_first),
    openings=_openings,
    in_class=True,
    asked_at=3,
)
