"""A corpus made ready to be learned from: counted, and given to a trainer."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event

from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.core.errors import TextTooLongError
from playground.training.corpora import Corpus
from playground.training.counted_corpus import CountedCorpus
from playground.training.pretoken_counts import PretokenCounts
from playground.training.run.counting import count
from playground.training.run.settings import RunSettings
from playground.training.trainer import Trainer, model_of

#: Only the known patterns have a scanner that takes hundreds of megabytes in seconds and in little memory.
MAX_SLOW_CHARACTERS = 20_000_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """A trainer that has learned nothing yet, and what is told of its text; long texts are kept in part."""

    trainer: Trainer
    training_texts: tuple[str, ...]
    held_out_texts: tuple[str, ...]
    n_bytes: int
    n_held_out_bytes: int
    n_pretokens: int
    n_unmatched_bytes: int


def prepare(
    corpora: list[Corpus | CountedCorpus],
    settings: RunSettings,
    *,
    at_work: AbstractContextManager[object],
    told: Callable[[float], None],
    stopped: Event,
) -> Prepared:
    """Split and count the one corpus of a list, which is taken out; what else is asked is as in `count`.

    The work is done inside `at_work`. Raises PlaygroundError and CancelledError.
    """
    corpus = corpora.pop()
    if isinstance(corpus, CountedCorpus):
        with at_work:
            return _prepared(corpus.counts, None, settings, corpus.texts, ())
    _check_length(corpus, settings)
    texts = [corpus]
    del corpus
    with at_work:
        counted = count(texts, settings, told=told, stopped=stopped)
        return _prepared(
            counted.pretokens, counted.held_out, settings, counted.training_texts, counted.held_out_texts
        )


def _prepared(
    pretokens: PretokenCounts,
    held_out: PretokenCounts | None,
    settings: RunSettings,
    training_texts: tuple[str, ...],
    held_out_texts: tuple[str, ...],
) -> Prepared:
    trainer = Trainer(
        pretokens,
        vocab_size=settings.vocab_size,
        ties=settings.ties,
        min_count=settings.min_count,
        held_out=held_out,
    )
    model_of(trainer, settings.pattern, settings.special_tokens)  # raises where a special token is bad
    return Prepared(
        trainer,
        training_texts,
        held_out_texts,
        pretokens.n_bytes,
        held_out.n_bytes if held_out else 0,
        len(pretokens),
        pretokens.n_unmatched_bytes,
    )


def _check_length(corpus: Corpus, settings: RunSettings) -> None:
    n_characters = corpus.n_characters
    if n_characters > MAX_SLOW_CHARACTERS and settings.pattern.name not in SPLIT_PATTERNS:
        raise TextTooLongError(
            f"the text has {n_characters:,} characters; with no split pattern, or one of one's own, at "
            f"most {MAX_SLOW_CHARACTERS:,} can be learned from here. Choose less text, or one of "
            f"{', '.join(SPLIT_PATTERNS)}"
        )
