"""What all tokenizers run by `sentencepiece` share: tokens, merge rule, cuts, decoding; and training."""

import io
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import compress, groupby, pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from playground.bpe.character_merging import ByScore, Scored
from playground.bpe.safe_cuts import pair_cut, space_cut
from playground.core.encoding import Encoding
from playground.core.tokenizer import RestOfText
from playground.core.vocabulary import Kind, TableVocabulary
from playground.files.charsmap import space_rules

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

#: How pieces write a space; a typed U+2581 is read as a space too.
SPACE = "\u2581"
#: The text after which the rest of a text is encoded.
_BEFORE = "a"


def special_tokens_of(processor: "SentencePieceProcessor") -> dict[str, int]:
    """Map each control symbol and the unknown token to its id."""
    special = np.flatnonzero(_is_any(processor.is_control, processor.is_unknown, of=processor)).tolist()
    return dict(zip(processor.id_to_piece(special), special, strict=True))


def _is_any(*are: Callable[[list[int]], list[bool]], of: "SentencePieceProcessor") -> NDArray[np.bool_]:
    """Return for each id whether the answer to at least one question is yes.

    A question about a list of ids takes a tenth of the time of one about each.
    """
    every = list(range(of.vocab_size()))
    answers: NDArray[np.bool_] = np.any([ask(every) for ask in are], axis=0)
    return answers


def merge_rule_of(processor: "SentencePieceProcessor", symbols: Collection[int]) -> ByScore:
    """Return the merge rule of a BPE model; `symbols` are the ids of user-defined pieces."""
    other = (processor.is_control, processor.is_unknown, processor.is_byte, processor.is_unused)
    ids = np.flatnonzero(~_is_any(*other, of=processor)).tolist()
    texts = [piece.replace(SPACE, " ") for piece in processor.id_to_piece(ids)]
    plain = dict(zip(ids, texts, strict=True))
    has_bytes = processor.is_byte(processor.piece_to_id("<0x00>"))
    return ByScore(
        {
            text.encode(): Scored(token_id, score)
            for token_id, text, score in zip(ids, texts, processor.get_score(ids), strict=True)
        },
        unknown_id=processor.unk_id(),
        byte_ids=[processor.piece_to_id(f"<0x{byte:02X}>") for byte in range(256)] if has_bytes else (),
        symbols=[plain[token_id] for token_id in symbols],
    )


def vocabulary_of(
    name: str,
    processor: "SentencePieceProcessor",
    special_tokens: Mapping[str, int],
    rule: ByScore | None = None,
) -> TableVocabulary:
    """Return the vocabulary of pieces, with ranks if a rule merges them.

    A byte token may have the same bytes as a piece.
    """
    special = set(special_tokens.values())
    ids = [token_id for token_id in range(processor.vocab_size()) if token_id not in special]
    pieces = processor.id_to_piece(ids)
    kinds: dict[int, Kind] = dict.fromkeys(compress(ids, processor.is_byte(ids)), "byte")
    if not kinds:  # with byte tokens, no character is unknown
        kinds[processor.unk_id()] = "unknown"
    raws = [
        bytes([int(piece[3:5], 16)]) if token_id in kinds else piece.replace(SPACE, " ").encode()
        for token_id, piece in zip(ids, pieces, strict=True)
    ]
    return TableVocabulary(
        name,
        ids,
        raws,
        ranks=None if rule is None else map(rule.rank_of, ids),
        scores=processor.get_score(ids),
        kinds=kinds,
        special_tokens=special_tokens,
        spell=lambda token_id, _raw: processor.id_to_piece(token_id),
    )


def rest_of_text(processor: "SentencePieceProcessor", encode: Callable[[str], Encoding]) -> RestOfText | None:
    """Return where a BPE model with byte tokens that changes no character lets a text be cut, or None.

    A merge makes a piece, so it joins two characters that are adjacent in some piece.
    """
    cut = pair_cut(pair for piece in _texts(processor) for pair in pairwise(piece))
    return None if cut is None else RestOfText.behind(cut.before, cut.pattern, encode)


def rest_at_spaces(
    processor: "SentencePieceProcessor", encode: Callable[[str], Encoding], charsmap: bytes
) -> RestOfText | None:
    """Return the single spaces at which a BPE model that normalizes lets a text be cut, or None.

    No piece has a space after another character, so no merge crosses the place before a space, as in
    `pair_cut`; and a space is a piece, so unknown characters on both sides are two tokens. Normalizing one
    side does not depend on the other: no rule of the map contains a space, and single spaces between
    unchanged characters are neither removed nor moved. The rest begins with its space and is encoded behind a
    letter whose token is removed, because the start of a text is treated differently.
    """
    rules = space_rules(charsmap)
    is_known = processor.piece_to_id(SPACE) != processor.unk_id()
    if rules.crosses_space or _BEFORE in rules.characters or not is_known:
        return None
    if any(SPACE in piece.lstrip(SPACE) or " " in piece for piece in _texts(processor)):
        return None
    return RestOfText.behind(_BEFORE, space_cut(is_behind=False, without=rules.characters), encode)


def _texts(processor: "SentencePieceProcessor") -> list[str]:
    """Return the pieces that are neither control symbols nor bytes."""
    is_other = _is_any(processor.is_control, processor.is_byte, of=processor)
    pieces: list[str] = processor.id_to_piece(np.flatnonzero(~is_other).tolist())
    return pieces


def decode_pieces(
    ids: Iterable[int],
    processor: "SentencePieceProcessor",
    vocabulary: TableVocabulary,
    special_tokens: Mapping[str, int],
) -> str:
    """Return the text of ids, with control symbols as their names. Raises UnknownTokenError.

    The unknown token is written as the library writes it, usually " ⁇ ".
    """
    unknown = processor.unk_id()
    name_of = {token_id: name for name, token_id in special_tokens.items() if token_id != unknown}
    parts = []
    for is_special, run in groupby(ids, name_of.__contains__):
        numbers = list(run)
        for token_id in numbers:
            vocabulary.raw_of(token_id)
        parts += [name_of[n] for n in numbers] if is_special else [processor.decode(numbers)]
    return "".join(parts)


PieceKind = Literal["control", "bytes", "merges", "letters"]


@dataclass(frozen=True)
class Switches:
    """Options of a training."""

    model_type: str
    character_coverage: float
    byte_fallback: bool
    add_dummy_prefix: bool
    split_digits: bool


def train(lines: Iterable[str], vocab_size: int, switches: Switches) -> bytes:
    """Train a model with SentencePiece's own trainer, without normalizing; return the `.model` file.

    Raises: RuntimeError if the lines do not contain that many pieces.
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


def kind_of(processor: "SentencePieceProcessor", piece_id: int) -> PieceKind:
    """Return the kind of a piece; a letter is a piece of one character."""
    if processor.is_control(piece_id) or processor.is_unknown(piece_id):
        return "control"
    if processor.is_byte(piece_id):
        return "bytes"
    return "letters" if len(processor.id_to_piece(piece_id)) == 1 else "merges"


@dataclass(frozen=True)
class TrainedPieces:
    """A model that was just trained, the kind of each id, and the duration of the training in ms."""

    processor: "SentencePieceProcessor"
    kinds: tuple[PieceKind, ...]
    n_ms: float


def train_pieces(lines: Iterable[str], vocab_size: int, switches: Switches) -> TrainedPieces:
    """Train a model and load it. Raises RuntimeError if the lines do not contain that many pieces.

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
