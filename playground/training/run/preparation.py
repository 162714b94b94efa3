"""A corpus made ready to be learned from: split, counted and given to a trainer."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.core.errors import TextTooLongError
from playground.training.corpora import Corpus, split_held_out
from playground.training.counted_corpus import CountedCorpus
from playground.training.pretoken_counts import PretokenCounts, count_pretokens
from playground.training.run.settings import RunSettings
from playground.training.trainer import Trainer, model_of

#: A larger held-out part would be no better measure, and is encoded whenever it is looked at.
MAX_HELD_OUT_CHARACTERS = 4_000_000
#: Only the known patterns have a scanner that takes hundreds of megabytes in seconds and in little memory.
MAX_SLOW_CHARACTERS = 20_000_000
_MAX_KEPT_CHARACTERS = 1_000_000


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
    tell: Callable[[float], None],
) -> Prepared:
    """Split and count the one corpus of a list; it is taken out, so that no caller holds a text meanwhile.

    The work is done inside `at_work`. `tell` gets the share of the text, from 0 to 1, that is done; it may
    raise. Raises PlaygroundError.
    """
    corpus = corpora.pop()
    if isinstance(corpus, CountedCorpus):
        with at_work:
            return _prepared(corpus.counts, None, settings, corpus.texts, ())
    _check_length(corpus, settings)
    share = min(settings.held_out_share, MAX_HELD_OUT_CHARACTERS / max(corpus.n_characters, 1))
    training, held_out_texts = split_held_out(corpus, share)
    del corpus
    training_texts = _beginnings(training)
    with at_work:
        pretokens = count_pretokens(_watched(training, tell), settings.pattern)
        del training
        held_out = count_pretokens(held_out_texts, settings.pattern)
        return _prepared(pretokens, held_out, settings, training_texts, held_out_texts)


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


def _watched(texts: Sequence[Sequence[str]], tell: Callable[[float], None]) -> Iterator[Iterator[str]]:
    """The pieces of texts; before each piece, and behind the last, it tells the share that was taken."""
    n_characters = sum(len(piece) for pieces in texts for piece in pieces)
    n_taken = 0

    def watched(pieces: Sequence[str]) -> Iterator[str]:
        nonlocal n_taken
        for piece in pieces:
            tell(n_taken / n_characters if n_characters else 0.0)
            yield piece
            n_taken += len(piece)

    yield from map(watched, texts)
    tell(1.0)


def _check_length(corpus: Corpus, settings: RunSettings) -> None:
    n_characters = corpus.n_characters
    if n_characters > MAX_SLOW_CHARACTERS and settings.pattern.name not in SPLIT_PATTERNS:
        raise TextTooLongError(
            f"the text has {n_characters:,} characters; with no split pattern, or one of one's own, at "
            f"most {MAX_SLOW_CHARACTERS:,} can be learned from here. Choose less text, or one of "
            f"{', '.join(SPLIT_PATTERNS)}"
        )


def _beginnings(texts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    kept = []
    n_left = _MAX_KEPT_CHARACTERS
    for pieces in texts:
        parts = []
        for piece in pieces:
            if n_left > 0:
                parts.append(piece[:n_left])
                n_left -= len(piece)
        if parts:
            kept.append("".join(parts))
    return tuple(kept)
