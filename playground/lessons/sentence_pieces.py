"""SentencePiece merges characters, not bytes; bytes are a fallback for unseen characters."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any, get_args

from playground.catalog.sentencepiece_library import (
    PieceKind,
    Switches,
    TrainedPieces,
    kind_of,
    train,
    train_pieces,
)
from playground.core.wording import counted
from playground.lessons.inputs import ChoiceInput, FlagInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.corpora import novel

VOCAB_SIZE, N_NOVEL_CHARS = 400, 9_000
#: Limits of the figure.
MAX_TEXT_CHARS, MAX_PIECES, MAX_DECODED_CHARS, MAX_WORD_CHARS, N_SAMPLES = 2_000, 60, 60, 20, 5
#: A line with digits, of which the novel has hardly any; it is repeated so that the digits are merged.
YEARS = "Jane Austen wrote in 1811, 1813, 1814, 1815 and 1818."


@cache
def learned_from() -> tuple[str, ...]:
    """Return the training lines."""
    lines = novel().texts[0][:N_NOVEL_CHARS].split("\n")
    return (*filter(None, lines), *[YEARS] * 12)


@cache
def trained(switches: Switches) -> TrainedPieces:
    """Train a model with these switches, or return it from the cache."""
    return train_pieces(learned_from(), VOCAB_SIZE, switches)


def show(
    text: str, model: str, coverage: str, byte_fallback: bool, add_dummy_prefix: bool, split_digits: bool
) -> Shown:
    """Return the vocabulary by kinds, the text's pieces, and the effect of three of the switches."""
    switches = Switches(model, float(coverage), byte_fallback, add_dummy_prefix, split_digits)
    now = trained(switches)
    words = text.split()
    word = (words[1] if len(words) > 1 else words[0] if words else "world")[:MAX_WORD_CHARS]
    sentence = f"{words[0][:MAX_WORD_CHARS] if len(words) > 1 else 'hello'} {word}"
    figure: dict[str, Any] = {
        **_vocabulary(now),
        "n_ms": now.n_ms,
        "learned_from": f"{N_NOVEL_CHARS:,} characters of {novel().title}",
        "model": model,
        "text": _pieces(now, text),
        "fallback": [
            {"is_on": is_on, **_pieces(trained(replace(switches, byte_fallback=is_on)), text)}
            for is_on in (True, False)
        ],
        "prefix": [
            _shared(trained(replace(switches, add_dummy_prefix=is_on)), word, sentence) | {"is_on": is_on}
            for is_on in (True, False)
        ],
        "models": [
            {"name": name, **_vocabulary(other), **_pieces(other, text)}
            for name in _MODELS
            for other in (trained(replace(switches, model_type=name)),)
        ],
    }
    if not words:
        return Shown(figure, needs="Type some words.")
    strange = _strangest(now, words)
    needs = "" if _n_without_row(now, strange) else "Every character has a piece here: add 안녕 or 👋."
    return Shown(figure, _question(now, switches, strange), needs)


def _vocabulary(model: TrainedPieces) -> dict[str, Any]:
    """Return the number of pieces of each kind, in the order of ids, and samples of each."""
    return {
        "runs": [[kind, len(list(group))] for kind, group in groupby(model.kinds)],
        "counts": {kind: model.kinds.count(kind) for kind in get_args(PieceKind)},
        "samples": {
            kind: [
                model.processor.id_to_piece(piece_id)
                for piece_id in [n for n, other in enumerate(model.kinds) if other == kind][:N_SAMPLES]
            ]
            for kind in get_args(PieceKind)
        },
    }


def _pieces(model: TrainedPieces, text: str) -> dict[str, Any]:
    """Return the pieces of a text, and the text decoded from their ids."""
    ids = model.processor.encode(text)
    return {
        "n": len(ids),
        "pieces": _shown(model, ids[:MAX_PIECES]),
        "decoded": model.processor.decode(ids)[: MAX_DECODED_CHARS + 1],
        "is_lossless": model.processor.decode(ids) == text,
    }


def _shown(model: TrainedPieces, ids: Iterable[int]) -> list[dict[str, Any]]:
    return [
        {"text": model.processor.id_to_piece(piece_id), "id": piece_id, "kind": model.kinds[piece_id]}
        for piece_id in ids
    ]


def _shared(model: TrainedPieces, word: str, sentence: str) -> dict[str, Any]:
    """Return a word's pieces alone and within a sentence, and the number of last pieces that are the same."""
    alone, after = model.processor.encode(word), model.processor.encode(sentence)
    n_shared = 0
    while n_shared < len(alone) and alone[-1 - n_shared] == after[-1 - n_shared]:
        n_shared += 1
    return {
        "n_shared": n_shared,
        "alone": _shown(model, alone[:MAX_PIECES]),
        "after": _shown(model, after[:MAX_PIECES]),
    }


def _n_without_row(model: TrainedPieces, word: str) -> int:
    """Return the number of characters of a word that aren't in the vocabulary."""
    processor = model.processor
    return sum(1 for letter in word if processor.is_unknown(processor.piece_to_id(letter)))


def _strangest(model: TrainedPieces, words: Sequence[str]) -> str:
    """Return the first word with a character outside the vocabulary, or else the first unseen word."""
    seen = {word for line in learned_from() for word in line.split()}
    without_row = [word for word in words if _n_without_row(model, word)]
    return (*without_row, *(word for word in words if word not in seen), words[0])[0][:MAX_WORD_CHARS]


def _question(model: TrainedPieces, switches: Switches, word: str) -> Question:
    n = len(model.processor.encode(word))
    n_without = _n_without_row(model, word)

    def hint(guess: str) -> str:
        if guess.strip() == str(n - 1) and switches.add_dummy_prefix:
            return "Nearly: ▁ for the space before the word is a piece, too."
        if n_without and not switches.byte_fallback:
            return "A run of characters outside the vocabulary is one <unk>."
        if n_without and guess.strip() == str(len(word)):
            return "That counts characters; one outside the vocabulary becomes its bytes."
        if n_without:
            before = ", and ▁ comes before them" if switches.add_dummy_prefix else ""
            are = "is" if n_without == 1 else "are"
            of_all = f"Of {counted(len(word), 'character')}, {n_without} {are} not in the vocabulary"
            return f"{of_all}: each becomes its UTF-8 bytes{before}."
        return f"Its {len(word)} characters are in the vocabulary, and some are merged: see step 2."

    return Question(f"How many pieces does “{word}” have?", str(n), hint, (f"{n} pieces",))


_MODELS = {"bpe": "BPE", "unigram": "Unigram"}


def _openings(text: str, **_switches: object) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": "mistral_v1"}),
        Opening("compare", {"text": text, "tokenizers": ["mistral_v1", "cl100k_base", "gpt2"]}),
        Opening("merge_tree", {"text": text, "tokenizer": "mistral_v1"}),
    )


SENTENCEPIECE = Lesson(
    slug="sentencepiece",
    number=15,
    title="SentencePiece",
    claim="SentencePiece merges characters; bytes are only a fallback.",
    guess=Guess(
        "A character was never seen in training: can it still be encoded?",
        ("no", "yes, as bytes", "only as <unk>"),
        right=1,
        proof="EC 239 95 152 88 139",
    ),
    time="1:28:42",
    figure="sentencepiece",
    steps=(
        "Trained just now: a vocabulary of 400 pieces of four kinds.",
        "A character missing from the vocabulary becomes its UTF-8 bytes.",
        "Without byte fallback, such a character becomes <unk> and can't be decoded.",
        "With a space added at the start, a word has the same pieces everywhere.",
        "Unigram scores its pieces and takes the split with the best total.",
    ),
    inputs=(
        TextInput("text", "Text", "hello world 1813 안녕하세요", max_chars=MAX_TEXT_CHARS),
        ChoiceInput("model", "Model", "bpe", _MODELS),
        ChoiceInput("coverage", "character_coverage", "1", {"1": "coverage 1", "0.98": "0.98"}),
        FlagInput("byte_fallback", "byte_fallback", True),
        FlagInput("add_dummy_prefix", "add_dummy_prefix", True),
        FlagInput("split_digits", "split_digits", True),
    ),
    try_this="Try each switch.",
    notes=Notes(
        say="GPT merges bytes. SentencePiece merges characters, and uses bytes only for unseen ones.",
        ask="Why do Llama 2's ids begin with three control pieces and 256 bytes?",
        expect="The trainer writes them first; merges come next, and single characters last.",
    ),
    show=show,
    sources=(train, kind_of),
    openings=_openings,
    told_at=2,
)
