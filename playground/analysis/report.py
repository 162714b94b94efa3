"""Measure a tokenizer in many ways: on one text, in 39 languages, on numbers and code, and in its vocabulary.

`FIGURES` says what each figure means and where it comes from. The figures are not combined into a score:
they contradict each other, and which of them matters depends on the use.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from playground.analysis.language_counts import ENGLISH, LanguageCount, count_languages
from playground.analysis.vocabulary_health import vocabulary_health
from playground.catalog.opened import OpenedModel, tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.core.text_units import Positions, byte_of_characters, character_of_bytes
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates

#: The order of the Rényi entropy, which Zouhar et al. found to predict translation best.
ALPHA = 2.5
_HEALTH = "Land and Bartolo 2024, arXiv:2405.05417"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report: its key, title and unit, one sentence on what it says, and its source."""

    name: str
    title: str
    unit: str
    sentence: str
    source: str


#: Figures with the unit "%" are shares from 0 to 1.
FIGURES = (
    Figure(
        "bytes_per_token",
        "Bytes per token",
        "",
        "UTF-8 bytes of the text divided by its tokens; more bytes per token are fewer tokens to pay for.",
        "Goldman et al. 2024, arXiv:2403.06265",
    ),
    Figure(
        "fertility",
        "Fertility",
        "",
        "Tokens of the text divided by its words, which are runs of characters without white space.",
        "Rust et al. 2021, arXiv:2012.15613",
    ),
    Figure(
        "parity",
        "Parity, mean",
        "× English",
        "Tokens of the Universal Declaration of Human Rights in a language divided by those in English, "
        "averaged over 38 languages.",
        "Petrov et al. 2023, arXiv:2305.15425",
    ),
    Figure(
        "parity_worst",
        "Parity, worst language",
        "× English",
        "The same ratio for the language that needs most tokens.",
        "Petrov et al. 2023, arXiv:2305.15425",
    ),
    Figure(
        "gini",
        "Gini over languages",
        "",
        "How unequally the same content in 39 languages is tokenized: 0 if each language needs equally "
        "many, towards 1 if a few need almost all.",
        "Foroutan et al. 2025, arXiv:2508.04796",
    ),
    Figure(
        "renyi_efficiency",
        "Rényi efficiency",
        "%",
        "Rényi entropy (α = 2.5) of the tokens divided by its maximum, the logarithm of the vocabulary "
        "size; in its counterexamples, Random-Drop BPE and Duplication BPE, it rises and translation gets "
        "worse.",
        "Zouhar et al. 2023, arXiv:2306.16842; counterexamples: Cognetta et al. 2024, arXiv:2402.14614",
    ),
    Figure(
        "vocabulary_used",
        "Vocabulary used",
        "%",
        "Share of the vocabulary that occurs in the text; a short text can use only a small share.",
        "a count of this report",
    ),
    Figure(
        "single_character",
        "Tokens of one character",
        "%",
        "Share of the text's tokens that cover one character or only a part of it.",
        "a count of this report",
    ),
    Figure(
        "words_whole",
        "Words kept whole",
        "%",
        "Share of the text's runs of letters that no token boundary cuts; an unknown word counts as cut.",
        "the complement of the share of continued words in Rust et al. 2021, arXiv:2012.15613",
    ),
    Figure(
        "numbers_consistent",
        "Numbers cut alike",
        "%",
        "Share of 3,000 numbers of one to five digits that are cut as most numbers of that length are.",
        "after Singh and Strouse 2024, arXiv:2402.14903",
    ),
    Figure(
        "code_consistent",
        "Names in code cut alike",
        "%",
        "Share of 32 Python names that are cut at the same letters at the start of a line and after a space, "
        "a tab, a bracket and a dot.",
        "a count of this report",
    ),
    Figure(
        "unreachable",
        "Unreachable tokens",
        "tokens",
        "Tokens whose own text encodes to other tokens, alone and beside marks, letters, digits and spaces.",
        _HEALTH,
    ),
    Figure(
        "under_used",
        "Under-used tokens",
        "tokens",
        "Tokens that were merged into a longer token right after they were learned, so text hardly has them "
        "alone; without merges the order of learning is not known.",
        f"{_HEALTH}, found here from ranks alone",
    ),
    Figure(
        "spend",
        "Spend",
        "$",
        "Tokens of the text times the price of a million input tokens; unknown where no price is.",
        "the price that you state, or the model's",
    ),
)

#: Names whose letters must be cut alike wherever they are in a program.
CODE_NAMES = (
    *("self", "return", "import", "None", "True", "print", "range", "append", "items", "index", "value"),
    *(
        "key",
        "result",
        "data",
        "name",
        "path",
        "config",
        "request",
        "response",
        "session",
        "encode",
        "decode",
    ),
    *("tokenizer", "vocabulary", "isinstance", "enumerate", "get_value", "to_string", "load_file"),
    *("max_length", "numpy", "DataFrame"),
)
_BEFORE_NAMES = ("", "x ", "\t", "x(", "x.")
_LETTERS = regex.compile(r"[\p{L}\p{M}]+")


@dataclass(frozen=True, slots=True)
class TokenizerFigures:
    """The figures that need no text of the reader, and the counts of each language, English first.

    Parity is None for a tokenizer without any token for the English text.
    """

    values: Mapping[str, float | None]
    languages: tuple[LanguageCount, ...]


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """One tokenizer's values by the names of `FIGURES`; None where the text has nothing to measure.

    `price` is in dollars for a million tokens, None if unknown.
    """

    tokenizer_name: str
    price: float | None
    values: Mapping[str, float | None]
    languages: tuple[LanguageCount, ...]

    @property
    def worst_language(self) -> str:
        """The language that needs most tokens for the same content."""
        return max(self.languages, key=lambda count: count.n_tokens).language

    @property
    def lossy_languages(self) -> tuple[str, ...]:
        """Languages in which text is dropped or unknown, so that a low count is no merit."""
        return tuple(count.language for count in self.languages if count.is_lossy)


def report_column(
    tokenizer: Tokenizer, text: str, own: TokenizerFigures, *, price: float | None
) -> ReportColumn:
    """Join the figures of a tokenizer with those of a text; `price` is dollars for a million tokens, or None.

    >>> gpt2 = get_tokenizer("gpt2")
    >>> own = TokenizerFigures({}, ())
    >>> report_column(gpt2, "Hello world!", own, price=2.5).values["bytes_per_token"]
    4.0
    """
    found = text_figures(tokenizer, text)
    n_tokens = found.pop("n_tokens") or 0.0
    values = {**found, **own.values, "spend": None if price is None else n_tokens * price / 1e6}
    return ReportColumn(
        tokenizer.name, price, {figure.name: values.get(figure.name) for figure in FIGURES}, own.languages
    )


def figures_of(name: str, model: OpenedModel | None) -> TokenizerFigures:
    """Measure a tokenizer by name, or an opened model, which can be sent to a worker process.

    >>> figures_of("utf8_bytes", None).values["unreachable"]
    0.0
    """
    return tokenizer_figures(get_tokenizer(name) if model is None else tokenizer_of(name, model))


def tokenizer_figures(tokenizer: Tokenizer) -> TokenizerFigures:
    """Measure languages, numbers, code and the vocabulary; a vocabulary of 200,000 tokens takes seconds."""
    languages = tuple(count_languages([tokenizer], article=None))
    ratios = [count.times_english for count in languages if count.code != ENGLISH]
    has_english = not math.isnan(ratios[0])
    health = vocabulary_health(tokenizer)
    return TokenizerFigures(
        {
            "parity": sum(ratios) / len(ratios) if has_english else None,
            "parity_worst": max(ratios) if has_english else None,
            "gini": gini([count.n_tokens for count in languages]),
            "numbers_consistent": _numbers_consistent(tokenizer),
            "code_consistent": _code_consistent(tokenizer),
            "unreachable": float(len(health.lost)),
            "under_used": None if tokenizer.merges is None else float(len(health.under_trained)),
        },
        languages,
    )


def text_figures(tokenizer: Tokenizer, text: str) -> dict[str, float | None]:
    """Measure a text: the figures of `FIGURES` that depend on it, and `n_tokens`; None for an empty text.

    >>> figures = text_figures(get_tokenizer("gpt2"), "Hello tokenization")
    >>> figures["fertility"], figures["words_whole"], figures["single_character"]
    (1.5, 0.5, 0.0)
    """
    text = replace_lone_surrogates(text)
    encoding = tokenizer.encode(text)
    n_tokens, n_words = len(encoding), len(text.split())
    n_vocab = len(tokenizer.vocabulary)
    counts = np.unique(encoding.ids, return_counts=True)[1]
    is_cut = _cuts(tokenizer, text)
    places = byte_of_characters(text)
    words = [(int(places[m.start()]), int(places[m.end()])) for m in _LETTERS.finditer(text)]
    n_whole = sum(not is_cut[start + 1 : end].any() for start, end in words)
    return {
        "n_tokens": float(n_tokens),
        "bytes_per_token": len(text.encode()) / n_tokens if n_tokens else None,
        "fertility": n_tokens / n_words if n_words else None,
        "renyi_efficiency": renyi_efficiency(counts, n_vocab) if n_tokens else None,
        "vocabulary_used": len(counts) / n_vocab if n_tokens else None,
        "single_character": _single_character(encoding.starts, encoding.ends, text) if n_tokens else None,
        "words_whole": n_whole / len(words) if words else None,
    }


def renyi_efficiency(counts: Positions, n_vocab: int, *, alpha: float = ALPHA) -> float:
    """Return the Rényi entropy of token counts as a share of its maximum, `log(n_vocab)`.

    >>> renyi_efficiency(np.array([5, 5, 5, 5]), 4), renyi_efficiency(np.array([9]), 4)
    (1.0, 0.0)
    """
    if n_vocab < 2:
        return 0.0
    share = counts / counts.sum()
    entropy = math.log(float((share**alpha).sum())) / (1 - alpha)
    return entropy / math.log(n_vocab) + 0.0  # not -0.0


def gini(values: Sequence[int]) -> float:
    """Return the Gini coefficient: the mean difference between two values divided by twice their mean.

    >>> gini([3, 3, 3]), gini([0, 0, 0, 4])
    (0.0, 0.75)
    """
    ordered = np.sort(np.asarray(values, np.float64))
    n, total = len(ordered), float(ordered.sum())
    if not total:
        return 0.0
    return float((2 * np.arange(1, n + 1) - n - 1) @ ordered) / (n * total)


def _single_character(starts: Positions, ends: Positions, text: str) -> float:
    """Return the share of tokens that touch at most one character."""
    character = character_of_bytes(text)
    first, last = character[starts], character[np.maximum(ends - 1, starts)]
    return float(np.mean(first == last))


def _cuts(tokenizer: Tokenizer, text: str) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return, for each byte, whether a token starts there; all bytes of unknown tokens count as cut."""
    encoding = tokenizer.encode(text)
    is_cut = np.zeros(len(text.encode()) + 1, np.bool_)
    is_cut[encoding.starts] = True
    vocabulary = tokenizer.vocabulary
    unknown = [n for n in set(encoding) if vocabulary.entry(n).kind == "unknown"]
    for place in np.flatnonzero(np.isin(encoding.ids, unknown)).tolist():
        is_cut[encoding.starts[place] : encoding.ends[place]] = True
    return is_cut


def _ways_to_cut(tokenizer: Tokenizer, text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return where tokens start inside each byte span, counted from its start."""
    is_cut = _cuts(tokenizer, text)
    return [tuple(np.flatnonzero(is_cut[start + 1 : end]).tolist()) for start, end in spans]


def _numbers_consistent(tokenizer: Tokenizer) -> float:
    numbers = [*range(1000), *range(1000, 10_000, 9), *range(10_000, 100_000, 90)]
    text, spans, place = " ".join(map(str, numbers)), [], 0
    for number in map(str, numbers):
        spans.append((place, place + len(number)))
        place += len(number) + 1
    ways: dict[int, Counter[tuple[int, ...]]] = {}
    for (start, end), way in zip(spans, _ways_to_cut(tokenizer, text, spans), strict=True):
        ways.setdefault(end - start, Counter())[way] += 1
    return sum(counted.most_common(1)[0][1] for counted in ways.values()) / len(numbers)


def _code_consistent(tokenizer: Tokenizer) -> float:
    text, spans = "", []
    for name in CODE_NAMES:
        for before in _BEFORE_NAMES:
            text += f"\n{before}"
            spans.append((len(text), len(text) + len(name)))
            text += name
    ways = _ways_to_cut(tokenizer, text, spans)
    n = len(_BEFORE_NAMES)
    return sum(len(set(ways[first : first + n])) == 1 for first in range(0, len(ways), n)) / len(CODE_NAMES)
