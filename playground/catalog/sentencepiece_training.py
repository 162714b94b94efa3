"""SentencePiece trained on the spot, with the switches that a lesson turns; nothing is read from files."""

import io
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

Kind = Literal["control", "bytes", "merges", "letters"]


@dataclass(frozen=True)
class Switches:
    """What may be chosen of a training."""

    model_type: str
    character_coverage: float
    byte_fallback: bool
    add_dummy_prefix: bool
    split_digits: bool


def train(lines: Iterable[str], vocab_size: int, switches: Switches) -> bytes:
    """A `.model` file by SentencePiece's own trainer; nothing is normalized.

    Raises: RuntimeError where so many pieces cannot be made of the lines.
    """
    from sentencepiece import SentencePieceTrainer

    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        vocab_size=vocab_size,
        model_type=switches.model_type,
        character_coverage=switches.character_coverage,
        byte_fallback=switches.byte_fallback,
        add_dummy_prefix=switches.add_dummy_prefix,
        split_digits=switches.split_digits,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return written.getvalue()


def kind_of(processor: "SentencePieceProcessor", piece_id: int) -> Kind:
    """What a piece is; a letter is a piece of one character."""
    if processor.is_control(piece_id) or processor.is_unknown(piece_id):
        return "control"
    if processor.is_byte(piece_id):
        return "bytes"
    return "letters" if len(processor.id_to_piece(piece_id)) == 1 else "merges"


@dataclass(frozen=True)
class TrainedPieces:
    """A model that was just trained, the kind of each id, and how long the training took."""

    processor: "SentencePieceProcessor"
    kinds: tuple[Kind, ...]
    n_ms: float


def train_pieces(lines: Iterable[str], vocab_size: int, switches: Switches) -> TrainedPieces:
    """What `train` writes, read again. Raises RuntimeError where so many pieces cannot be made of the lines.

    >>> switches = Switches("bpe", 1.0, byte_fallback=True, add_dummy_prefix=True, split_digits=True)
    >>> trained = train_pieces(["low lower lowest"] * 9, 270, switches)
    >>> trained.processor.encode("low", out_type=str), trained.kinds[3]
    (['▁low'], 'bytes')
    """
    from sentencepiece import SentencePieceProcessor

    start = time.perf_counter()
    model = train(lines, vocab_size, switches)
    n_ms = 1_000 * (time.perf_counter() - start)
    processor = SentencePieceProcessor(model_proto=model)
    kinds = tuple(kind_of(processor, piece_id) for piece_id in range(processor.get_piece_size()))
    return TrainedPieces(processor, kinds, n_ms)
