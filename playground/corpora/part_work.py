"""What a worker does with a part of a file: count pretokens or tokens, or encode.

All arguments and results can be pickled.
"""

import pickle
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from playground.bpe.safe_cuts import SafeCuts
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import OpenedModel, OpenedTokenizer, model_of, tokenizer_of
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Ids
from playground.corpora.blocks import common_cuts, is_document_held_out
from playground.corpora.cores import encoders_of
from playground.corpora.corpus_pretokens import CorpusPretokens, count_blocks, cuts_of, pretoken_limit
from playground.corpora.encoders import Encoder
from playground.corpora.parts import Part, iter_part_blocks
from playground.corpora.streams import OnRead
from playground.corpora.text_files import Text
from playground.corpora.token_counts import Tally, count_block
from playground.training.pretoken_counts import merge_counts


def count_pretokens_of(
    part: Part, pattern: SplitPattern, share: float, max_pretokens: int
) -> CorpusPretokens:
    """Count the pretokens of a part. Raises InvalidInputError."""
    blocks = iter_part_blocks(part, cuts_of(pattern))
    return count_blocks(blocks, pattern, share, n_cores=1, max_pretokens=max_pretokens)


def merge_pretokens(found: Sequence[CorpusPretokens], max_pretokens: int) -> CorpusPretokens:
    """Join the pretokens of neighbouring parts, which are in order. Raises InvalidInputError."""
    return CorpusPretokens(
        merge_counts([each.training for each in found], on_table=pretoken_limit(max_pretokens)),
        merge_counts([each.held_out for each in found]),
        sum(each.n_left_out for each in found),
    )


class TokenizerParcel(NamedTuple):
    """Tokenizers in pickled form: bundled ones by name, opened ones with their models."""

    pickled: bytes  # identifies the result of the same work
    allow_special: bool

    @classmethod
    def of(cls, tokenizers: Sequence[Tokenizer], *, allow_special: bool) -> "TokenizerParcel":
        """Pack tokenizers."""
        sent = [(tokenizer.name, _own_model(tokenizer)) for tokenizer in tokenizers]
        return cls(pickle.dumps(sent), allow_special)

    def tokenizers(self) -> list[Tokenizer]:
        """Unpack the tokenizers."""
        sent: list[tuple[str, OpenedModel | None]] = pickle.loads(self.pickled)
        return [get_tokenizer(name) if model is None else tokenizer_of(name, model) for name, model in sent]


def _own_model(tokenizer: Tokenizer) -> OpenedModel | None:
    """Return the model of an opened tokenizer; None for a bundled one, which each worker has."""
    model = getattr(tokenizer, "model", None)
    shipped = get_tokenizer(tokenizer.name) if tokenizer.name in TOKENIZERS else None
    if model is None or getattr(shipped, "model", None) is model:
        return None
    return model_of(cast(OpenedTokenizer, tokenizer))


class _Unpacked(NamedTuple):
    encoders: list[Encoder]
    cuts: SafeCuts


def tally_of(part: Part, parcel: TokenizerParcel, *, on_read: OnRead = lambda _n_bytes: None) -> Tally | str:
    """Count the tokens of a part for each tokenizer; returns an error message if the file cannot be read.

    `on_read` gets the number of bytes read, if the part is a whole file.
    """
    encoders, cuts = _unpack(parcel)
    tally = Tally([0] * len(encoders))
    try:
        for _, block in iter_part_blocks(part, cuts, on_read=on_read):
            found = count_block(encoders, block)
            if isinstance(found, str):
                return f"{part.source.path}: {found}"
            tally.add(block, found)
    except InvalidInputError as error:
        return str(error)
    return tally


def n_documents_of(part: Part, cuts: SafeCuts) -> int:
    """Return the number of documents that end in a part; for plain text 1 or 0. Raises InvalidInputError."""
    if part.source.kind == "text":
        return int(part.is_last)
    return sum(len(block.texts) for _, block in iter_part_blocks(part, cuts))


class Split(NamedTuple):
    """Share and seed of documents for validation, the id after each document, and the type of ids."""

    share: float
    seed: int | None
    closing_id: int
    dtype: str


def encode_part(
    part: Part, first_document: int, parcel: TokenizerParcel, split: Split
) -> tuple[list[Ids], tuple[int, int], int]:
    """Return the ids of a part for training and validation, their numbers of documents, and skipped rows.

    Raises PlaygroundError.
    """
    (encoder, *_), cuts = _unpack(parcel)
    found: list[list[Ids]] = [[], []]
    n_documents, n_left_out = [0, 0], 0
    document = first_document
    for _, block in iter_part_blocks(part, cuts):
        n_left_out += block.n_left_out
        texts: list[list[Text]] = [[], []]
        for text in block.texts:
            side = bool(split.share) and is_document_held_out(
                document, text if block.ends else b"", split.share, split.seed
            )
            texts[side].append(text)
            document += block.ends
            n_documents[side] += block.ends
        for ids, own in zip(found, texts, strict=True):
            if own:
                closing_id = split.closing_id if block.ends else -1
                ids.append(encoder.encode(own, closing_id=closing_id).astype(split.dtype))
    joined = [np.concatenate([np.zeros(0, split.dtype), *ids]) for ids in found]
    return joined, (n_documents[0], n_documents[1]), n_left_out


@lru_cache(maxsize=2)
def _unpack(parcel: TokenizerParcel) -> _Unpacked:
    tokenizers = parcel.tokenizers()
    return _Unpacked(
        encoders_of(tokenizers, allow_special=parcel.allow_special),
        common_cuts(tokenizers, allow_special=parcel.allow_special),
    )
