"""The training loop of counting and merging, and how many tokens each merge saves."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from playground.analysis.traces import token_trees, trace_text
from playground.bpe import lecture
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.building import MergeNode
from playground.lessons.inputs import ChoiceInput, NumberInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.algorithms.bpe import BpeLearner
from playground.training.corpora import novel
from playground.training.pretoken_counts import count_pretokens

#: Bytes of the shipped novel to train on, few enough for a class not to wait, and the number of merges.
N_BYTES, N_MERGES = 24_000, 1_000
#: Characters that are accepted, and characters that are drawn.
MAX_TEXT_CHARS, MAX_FILM_CHARS = 2_000, 160
_PATTERN = "gpt2"
#: Token colours of the palette.
N_COLORS = 4


@cache
def trained() -> BpeLearner:
    """Return a trainer that has learned all `N_MERGES` merges."""
    text = novel().texts[0].encode()[:N_BYTES].decode(errors="ignore")
    pretokens = count_pretokens([text], SplitPattern.named(_PATTERN))
    trainer = BpeLearner(pretokens, vocab_size=256 + N_MERGES)
    trainer.advance()
    return trainer


@cache
def lengths() -> tuple[int, ...]:
    """Return the number of tokens of the training text after 0, 1, 2, … merges."""
    return (N_BYTES, *trained().columns()[:, 4].tolist())


def times_smaller(n_bytes: int, n_tokens: int) -> float:
    """Return the compression ratio, in bytes per token.

    >>> times_smaller(24_000, 6_000)
    4.0
    """
    return n_bytes / n_tokens


def percent_saved(n_bytes: int, n_tokens: int) -> float:
    """Return the percentage of tokens saved; 75 % is a ratio of 4.

    >>> percent_saved(24_000, 6_000)
    75.0
    """
    return 100 * (1 - n_tokens / n_bytes)


def _trees(text: str, k: int) -> list[MergeNode]:
    """Return the merge trees of a text's tokens after `k` merges."""
    merges = tuple((merge.left, merge.right, merge.new_id) for merge in trained().merges(0, k))
    tokenizer = TrainedTokenizer("loop", BpeModel(SplitPattern.named(_PATTERN), merges))
    trace = trace_text(tokenizer, text)
    return [tree for building in trace.buildings for tree in token_trees(building, tokenizer.vocabulary)]


def show(text: str, k: int, unit: str) -> Shown:
    """Return the curve of all merges, and the merge trees of a text's tokens after `k` merges."""
    n_tokens = lengths()
    half = next(n for n, left in enumerate(n_tokens) if 2 * (N_BYTES - left) >= N_BYTES - n_tokens[-1])
    last = trained().merges(k - 1, k)
    figure: dict[str, Any] = {
        "k": k,
        "unit": unit,
        "n_bytes": N_BYTES,
        "n_tokens": n_tokens,
        "half": half,
        "made": _shown(last[0].raw) if last else "",
        "n_text_bytes": len(text[:MAX_FILM_CHARS].encode()),
        "film": _colored(_trees(text[:MAX_FILM_CHARS], k)),
    }
    question = _question(unit, n_tokens[k])
    needs = "" if text else "Type a sentence to see it merged."
    if len(text) > MAX_FILM_CHARS:
        needs = f"The first {MAX_FILM_CHARS} characters are shown."
    return Shown(figure, question, needs)


def _colored(trees: Sequence[MergeNode]) -> list[dict[str, Any]]:
    """Return trees as JSON; a token has the colour of its first byte's place unless its neighbour has it."""
    colored: list[dict[str, Any]] = []
    start, before = 0, -1
    for tree in trees:
        before = start % N_COLORS if start % N_COLORS != before else (before + 1) % N_COLORS
        colored.append({**_tree(tree), "color": before})
        start += len(tree.raw)
    return colored


def _tree(node: MergeNode) -> dict[str, Any]:
    return {"text": _shown(node.raw), "parts": [_tree(child) for child in node.children]}


def _shown(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"⟨{raw.hex(' ').upper()}⟩"


def _question(unit: str, n_tokens: int) -> Question:
    """Ask to convert the novel's compression from the chosen unit to the other one."""
    times, saved = f"{times_smaller(N_BYTES, n_tokens):.2f}", f"{percent_saved(N_BYTES, n_tokens):.1f}"
    if unit == "share":

        def hint(guess: str) -> str:
            if guess.strip().rstrip("% ") == saved:
                return "That is the share saved. Divide the whole by the share that is left."
            return (
                f"Of 100 tokens, {100 - percent_saved(N_BYTES, n_tokens):.1f} are left: divide 100 by that."
            )

        return Question(
            f"The novel's tokens fell by {saved} %: how many times fewer, to one decimal?",
            f"{float(times):.1f}",
            hint,
            also=(times,),
        )

    def hint_of_share(guess: str) -> str:
        if guess.strip().rstrip("x× ") == times:
            return "That is the ratio. Of 100 tokens, how many are left, and how many are saved?"
        return f"Of 100 tokens, 100 / {times} are left; the others are saved."

    return Question(
        f"The novel has {times} times fewer tokens: how many percent were saved?",
        saved,
        hint_of_share,
        also=(f"{float(saved):.0f}",),
    )


def _openings(text: str, **_chosen: object) -> Sequence[Opening]:
    return (
        Opening("train", {"chosen": {"train.corpus": novel().title}}),
        Opening("tokenize", {"text": text, "tokenizer": "gpt2"}),
    )


LOOP = Lesson(
    slug="loop",
    number=9,
    title="The loop",
    claim="The first merges save the most tokens.",
    guess=Guess(
        "How many of 1,000 merges bring half of the savings?",
        ("54", "250", "500"),
        right=0,
        proof="54 merges: half",
    ),
    time="34:58",
    figure="loop",
    steps=(
        "Count, merge, repeat: each round adds one token.",
        "A few dozen merges save half of what a thousand save.",
        "Each new token joins two earlier tokens: drag, and trees grow.",
    ),
    inputs=(
        TextInput("text", "Text", "It is a truth universally acknowledged", max_chars=MAX_TEXT_CHARS),
        NumberInput("k", "Merges", 20, 0, N_MERGES),
        ChoiceInput("unit", "Unit", "share", {"times": "× smaller", "share": "% saved"}),
    ),
    try_this="Drag the merges and watch the text.",
    notes=Notes(
        say=(
            "The curve and its number measure 24,000 bytes of Pride and Prejudice, the training text, and "
            "not your sentence."
        ),
        ask="Why does the hundredth merge save less than the first?",
        expect=(
            "The most frequent pair is merged first. Later pairs are rarer, and a merge saves its pair's "
            "count."
        ),
    ),
    show=show,
    sources=(lecture.train, trained, times_smaller, percent_saved),
    openings=_openings,
    in_class=True,
    told_at=2,
    sets={1: {"k": 5}, 2: {"k": 54}, 3: {"k": 300}},
)
