"""Parity-aware BPE, which serves the language with most tokens, beside BPE on the same texts."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from playground.bpe.split_pattern import SplitPattern
from playground.core.tokenizer import Tokenizer
from playground.lessons.inputs import ChoiceInput, NumberInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.training.algorithms.bpe import BPE
from playground.training.algorithms.learner import Algorithm, OptionValue, TrainingTexts
from playground.training.algorithms.parity import PARITY, Parity
from playground.training.corpora import LANGUAGES, Corpus, udhr_languages
from playground.training.pretoken_counts import count_pretokens

#: The size of each vocabulary; the parts into which its merges are divided; and languages that always learn.
VOCAB_SIZE, N_PARTS = 1_256, 10
ALWAYS = ("English", "Swahili", "Hindi", "Korean")
#: The languages to choose from, with their short names.
_OTHERS = {"Burmese": "Burmese", "Tamil": "Tamil", "Greek (monotonic)": "Greek"}
#: GPT-4o's pattern, because those before it cut words at the vowel signs of Hindi and Burmese.
_PATTERN = SplitPattern.named("o200k")


@lru_cache(maxsize=4)
def _texts(languages: tuple[str, ...]) -> TrainingTexts:
    texts = tuple(udhr_languages()[language] for language in languages)
    return TrainingTexts(count_pretokens(texts, _PATTERN), None, Corpus(LANGUAGES, texts), _PATTERN)


def _learned(algorithm: Algorithm, other: str, options: Mapping[str, OptionValue]) -> Tokenizer:
    defaults = {option.name: option.default for option in algorithm.options}
    learner = algorithm.start(_texts((*ALWAYS, other)), VOCAB_SIZE, defaults | dict(options))
    learner.advance()
    return learner.tokenizer(algorithm.title)


@lru_cache(maxsize=4)
def plain(other: str) -> Tokenizer:
    """Return the tokenizer that BPE learns from all texts together."""
    return _learned(BPE, other, {"ties": "lowest-pair"})


@lru_cache(maxsize=32)
def fair(other: str, n_common: int) -> Tokenizer:
    """Return the tokenizer of parity-aware BPE after `n_common` tenths of the merges by BPE's rule."""
    return _learned(PARITY, other, {"hybrid": n_common / N_PARTS})


def counts(tokenizer: Tokenizer, other: str) -> list[int]:
    """Return the number of tokens of the Declaration in each language."""
    return [len(tokenizer.encode(udhr_languages()[language])) for language in (*ALWAYS, other)]


def show(n_common: int, other: str) -> Shown:
    """Return the tokens of the same text in five languages, with both tokenizers."""
    before, after = counts(plain(other), other), counts(fair(other, n_common), other)
    figure: dict[str, Any] = {
        "languages": [*ALWAYS, _OTHERS[other]],
        "plain": before,
        "fair": after,
    }
    needs = "All merges follow BPE's rule: nobody pays." if n_common == N_PARTS else ""
    return Shown(figure, _question(before[0], after[0]), needs)


def _question(before: int, after: int) -> Question:
    def hint(guess: str) -> str:
        if readings(guess) & {before, after}:
            return "That is one of English's two numbers: subtract them."
        return "Subtract the two numbers in the row of English."

    return Question("How many more tokens than with BPE does English need?", str(after - before), hint)


def _openings(other: str, **_common: object) -> Sequence[Opening]:
    languages = [*ALWAYS, other]
    chosen = {"train.corpus": LANGUAGES, "train.languages": languages, "train.algorithm": PARITY.name}
    text = "\n".join(udhr_languages()[language].split("\n", 1)[0] for language in languages)
    return (
        Opening("train", {"chosen": chosen}),
        Opening("compare", {"text": text, "tokenizers": ["gpt2", "cl100k_base", "o200k_base"]}),
    )


WHO_PAYS = Lesson(
    slug="who-pays",
    number=26,
    title="Who pays",
    claim="A fair tokenizer helps the costliest language, and the others pay.",
    guess=Guess(
        "Merges serve the costliest language: what happens to English?",
        ("no change", "a sixth more tokens", "twice the tokens"),
        right=1,
        proof="3,349 →3,882 +16 %",
    ),
    time="",
    figure="who-pays",
    steps=(
        "BPE merges the pair that is most frequent in all five texts.",
        "Parity-aware BPE merges the most frequent pair of the costliest text.",
        "The vocabulary keeps its size: what one text saves, the others pay.",
    ),
    inputs=(
        NumberInput("n_common", "Tenths by BPE's rule", 0, 0, N_PARTS),
        ChoiceInput("other", "Language", "Burmese", _OTHERS),
    ),
    try_this="Drag from 0 to 10.",
    notes=Notes(
        say=(
            "The Universal Declaration of Human Rights in five languages, learned into 1,256 tokens. The "
            "method: Foroutan and others 2025, arXiv 2508.04796."
        ),
        ask="Is it fair that all languages have the same number of tokens?",
        expect="Prices and context are then equal, but the sum grows; larger vocabularies soften the choice.",
    ),
    show=show,
    sources=(Parity,),
    openings=_openings,
)
