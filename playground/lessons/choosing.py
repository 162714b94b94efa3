"""Compare data formats, and tokenizers, by their number of tokens and by what they lose."""

from collections.abc import Sequence
from typing import Any

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.core.errors import PlaygroundError
from playground.formats.costs import measure
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.reading import read_document
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.algorithms.bpe import BpeLearner
from playground.training.pretoken_counts import count_pretokens

#: Formats and their names in this lesson.
_FORMATS = {
    "json_pretty": "JSON",
    "yaml": "YAML",
    "json_compact": "compact JSON",
    "yaml_flow": "flow YAML",
    "toml": "TOML",
    "csv": "CSV",
    "toon": "TOON",
}
TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base", "qwen3", "mistral_v1", "bert_uncased")
_COUNTED_WITH = "cl100k_base"
_OWN, _OWN_SIZE = "own", 1_024
_MAX_CHARS = 20_000


def rows_of_formats(text: str) -> list[dict[str, Any]]:
    """Return, for each format that can hold the data, its tokens and the kinds of loss in a round trip.

    >>> rows_of_formats('{"a": null}')[1]
    {'name': 'YAML', 'n_tokens': 3, 'loses': []}
    """
    table = measure(read_document(text).data, [get_tokenizer(_COUNTED_WITH)], formats=_FORMATS)
    counts = table.n_tokens[_COUNTED_WITH]
    return [
        {
            "name": _FORMATS[found.format_name],
            "n_tokens": counts[found.format_name],
            "loses": [loss.kind for loss in found.losses],
        }
        for found in table.conversions
        if found.text is not None
    ]


def rows_of_tokenizers(text: str) -> list[dict[str, Any]]:
    """Return the tokens of a text in published tokenizers, and in one trained on this text."""
    rows = []
    for name in TOKENIZERS:
        tokenizer = get_tokenizer(name)
        encoding = tokenizer.encode(text)
        loses = [] if tokenizer.decode(encoding) == text else ["text"]
        rows.append(
            {"name": name, "n_tokens": len(encoding), "loses": loses, "n_rows": len(tokenizer.vocabulary)}
        )
    pretokens = count_pretokens([text], SplitPattern.named("gpt2"))
    own = BpeLearner(pretokens, vocab_size=_OWN_SIZE, min_count=2)
    own.advance()
    return [*rows, {"name": _OWN, "n_tokens": own.n_tokens, "loses": [], "n_rows": own.n_vocab}]


def cheapest(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the first row with the fewest tokens among those that lose nothing."""
    whole = [row for row in rows if not row["loses"]] or rows
    return min(whole, key=lambda row: row["n_tokens"])


def recommend(rows: Sequence[dict[str, Any]]) -> str:
    """Say how many tokens a tokenizer of this text's own saves against the best lossless published one."""
    own, ready = rows[-1], cheapest(rows[:-1])
    if own["n_tokens"] >= ready["n_tokens"]:
        return "“own”: too little text to train on."
    saved = 1 - own["n_tokens"] / ready["n_tokens"]
    return f"“own”: {saved:.0%} fewer tokens."


def show(text: str, data: str = "Configuration") -> Shown:
    """Return both comparisons, by format and by tokenizer, for a text or else for example data."""
    text = text or EXAMPLE_DATA[data]()
    if not text.strip():
        return Shown({"formats": [], "tokenizers": [], "advice": ""}, needs="Paste JSON, YAML or CSV.")
    tokenizers = rows_of_tokenizers(text)
    needs = ""
    try:
        formats = rows_of_formats(text)
        if not isinstance(read_document(text).data, dict | list):
            needs = "This is a single value: paste several, as JSON, YAML or CSV."
    except PlaygroundError:
        formats, needs = [], "This text could not be read as data: paste JSON, YAML or CSV."
    figure = {"formats": formats, "tokenizers": tokenizers, "advice": recommend(tokenizers)}
    if formats:
        return Shown(
            figure, _question("Which format has the fewest tokens and loses nothing?", formats), needs
        )
    return Shown(
        figure, _question("Which tokenizer gives the fewest tokens and loses nothing?", tokenizers), needs
    )


def _question(asks: str, rows: Sequence[dict[str, Any]]) -> Question:
    best = cheapest(rows)
    same = [
        row["name"] for row in rows if (row["n_tokens"], row["loses"]) == (best["n_tokens"], best["loses"])
    ]

    def hint(guess: str) -> str:
        found = next((row for row in rows if row["name"].casefold() == guess.strip().casefold()), None)
        if found is None:
            return f"Choose one of {', '.join(row['name'] for row in rows)}."
        if found["loses"] and not best["loses"]:
            return f"{found['name']} has {found['n_tokens']:,} tokens, but loses {found['loses'][0]}."
        return f"{found['name']} has {found['n_tokens']:,} tokens; another has fewer."

    also = [*same, *(" ".join(reversed(name.split())) for name in same)]
    return Question(asks, best["name"], hint, also=also, is_number=False)


def _openings(text: str, data: str = "Configuration") -> Sequence[Opening]:
    text = text or EXAMPLE_DATA[data]()
    return (
        Opening("formats", {"text": text}),
        Opening("compare", {"text": text, "tokenizers": list(TOKENIZERS)}),
        Opening("train", {"chosen": {"train.corpus": "Paste a text", "train.pasted": text}}),
        *_expected(text),
    )


def _expected(text: str) -> Sequence[Opening]:
    """Return the link to Expect with the data as JSON and as YAML, if both can hold it."""
    try:
        conversions = measure(read_document(text).data, [], formats=("json_pretty", "yaml")).conversions
    except PlaygroundError:
        return ()
    json, yaml = (found.text for found in conversions)
    return (
        ()
        if json is None or yaml is None
        else [Opening("expect", {"text": json, "second": yaml, "mode": "two"})]
    )


CHOOSE = Lesson(
    slug="choose",
    number=23,
    title="JSON or YAML",
    claim="Before choosing a format, count its tokens and its losses.",
    guess=Guess(
        "The same data: which format takes the fewest tokens?",
        ("indented JSON", "YAML", "compact JSON"),
        right=2,
        proof="compact JSON 130",
    ),
    time="2:09:21",
    figure="choose",
    steps=(
        "Indented JSON pays for its white space; compact JSON doesn't.",
        "The same text in other tokenizers; “own” was trained on this text alone.",
        "✗ names what a format loses in a round trip.",
    ),
    inputs=(
        ChoiceInput("data", "Data", "Configuration", {name: name for name in EXAMPLE_DATA}),
        TextInput("text", "Or your own data", "", rows=2, max_chars=_MAX_CHARS),
    ),
    try_this="Change the data: the order may change.",
    notes=Notes(
        say="For the example, YAML beats indented JSON and compact JSON beats YAML; other data may differ.",
        ask="When is it worth training a tokenizer of your own?",
        expect="When you also train the model: an existing model only knows its own tokenizer's ids.",
    ),
    show=show,
    sources=(rows_of_formats, cheapest, recommend),
    openings=_openings,
    in_class=True,
    told_at=1,
)
