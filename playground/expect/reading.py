"""A text read by a model as it is typed: what the model expected of each token, and of the next one.

`read_text` is called in the one worker process that holds a model, by `server.expect`. Keys and values of the
tokens before an edit are kept, so only what follows the edit is computed again.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import numpy as np

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import OpenedTokenizer, open_here
from playground.core.errors import VocabularyFileError
from playground.expect import model_file
from playground.expect.llama import Llama, checked_shape
from playground.expect.weights import Array, Weights
from playground.files.gguf import header_of, read_header

#: The most tokens of a text that are read.
MAX_TOKENS = 1_000
#: Tokens that are computed together: a larger number is not faster and needs more memory for its scores.
CHUNK = 128
#: Texts whose keys and values are kept, in all pages together.
MAX_READERS = 4
N_LIKELIEST = 5
#: The fewest bits that are not "all but certain": a probability of 93 %.
NEARLY_CERTAIN_BITS = 0.1
#: Memory of a process and of what is made while a chunk is computed, without weights, keys and values.
_OTHER_BYTES = 250_000_000


@dataclass(frozen=True, slots=True)
class Expected:
    """What the model expected at one place: (token, probability), the likeliest first.

    `bits` is -log2 of the probability of the token that is there, and `rank` its place among all, from 1.
    """

    likeliest: tuple[tuple[int, float], ...]
    bits: float = 0.0
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What has been read of a text so far.

    `ids` and `lengths` (bytes of the text) are those of all tokens; `expected` has the first of them, and
    once all are read (`is_over`) one more item, for the token that would follow. `n_left_out` tokens are over
    the limit. `n_vocab` tokens are ranked. `raws` has the bytes of each token named here; some
    of these tokens are `special`.
    """

    ids: list[int]
    lengths: list[int]
    expected: list[Expected]
    n_left_out: int
    n_vocab: int
    raws: dict[int, bytes]
    special: frozenset[int]

    @property
    def is_over(self) -> bool:
        """True when every token has been read."""
        return len(self.expected) > len(self.ids)


class Reader:
    """The tokens that a model has read, with their keys and values."""

    def __init__(self, model: Llama) -> None:
        shape = model.shape
        self.model = model
        self._read: list[int] = []
        self._expected: list[Expected] = []
        self._keys = np.empty((shape.n_layers, shape.n_key_heads, 0, shape.head_width), np.float32)
        self._values = self._keys
        self._hidden: Array = np.empty((0, shape.width), np.float32)

    def read(self, tokens: Sequence[int], n_new: int) -> list[Expected]:
        """Return what was expected of each token after the first, and of the next one.

        At most `n_new` tokens are computed; the others are read by further calls with the same tokens.
        """
        n_same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._read, tokens, strict=False))
        )
        del self._read[n_same:], self._expected[max(n_same - 1, 0) :]
        if chunk := tokens[n_same : n_same + n_new]:
            self._make_room(n_same + len(chunk))
            hidden = self.model.forward(chunk, self._keys, self._values, n_same)
            self._hidden[n_same : n_same + len(chunk)] = hidden
            self._read += chunk
        n_known, n_read = len(self._expected), len(self._read)
        if n_known < n_read:
            self._expected += judge(
                self.model.logits(self._hidden[n_known:n_read]), tokens[n_known + 1 : n_read + 1]
            )
        return list(self._expected)

    def _make_room(self, n_tokens: int) -> None:
        n_more = n_tokens - len(self._hidden)
        if n_more > 0:
            n_more = max(n_more, 128, len(self._hidden) // 2)
            wider = ((0, 0), (0, 0), (0, n_more), (0, 0))
            self._keys, self._values = np.pad(self._keys, wider), np.pad(self._values, wider)
            self._hidden = np.pad(self._hidden, ((0, n_more), (0, 0)))


def judge(scores: Array, tokens: Sequence[int]) -> list[Expected]:
    """Return what scores expect, a row each; the last row may have no token.

    >>> scores = np.log(np.array([[0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125]], np.float32))
    >>> found = judge(scores, [2])[0]
    >>> round(found.bits, 3), found.rank, found.likeliest[0]
    (3.0, 3, (0, 0.5))
    """
    scores = scores - scores.max(axis=-1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    n_best = min(N_LIKELIEST, scores.shape[-1])
    best = np.argpartition(scores, -n_best, axis=-1)[:, -n_best:]
    found = []
    for row, row_scores in enumerate(scores):
        likely = best[row][np.argsort(-row_scores[best[row]], kind="stable")]
        likeliest = tuple((int(token), float(np.exp(row_scores[token]))) for token in likely)
        if row < len(tokens):
            own = row_scores[tokens[row]]
            rank = 1 + int((row_scores > own).sum())
            found.append(Expected(likeliest, max(float(-own / np.log(2)), 0.0), rank))
        else:
            found.append(Expected(likeliest))
    return found


@dataclass(eq=False)
class Model:
    """A model's file: its tokenizer, its weights, and the texts that it has read, by key.

    `stamp` tells a file from one that has replaced it.
    """

    path: Path
    stamp: tuple[int, int]
    readers: "OrderedDict[str, Reader]" = field(default_factory=OrderedDict)

    @cached_property
    def tokenizer(self) -> OpenedTokenizer:
        """The tokenizer of the file. Raises VocabularyFileError."""
        return open_here({self.path.name: header_of(self.path)}, SplitPattern.named("none"), "model")

    @cached_property
    def llama(self) -> Llama:
        """The weights, which take seconds to read. Raises VocabularyFileError."""
        model, n_tokens = Llama(Weights(self.path)), self.tokenizer.vocabulary.n_vocab
        if n_tokens > model.shape.n_tokens:
            raise VocabularyFileError(f"{self.path.name} has fewer embeddings than tokens")
        return model

    def read(self, key: str, parts: Sequence[str], n_new: int) -> Reading:
        """Read a text, given as parts that are encoded one by one; see `Reader.read`."""
        reader = self.readers.pop(key, None) or Reader(self.llama)
        self.readers[key] = reader
        while len(self.readers) > MAX_READERS:
            self.readers.popitem(last=False)
        ids, lengths = self._encode(parts)
        limit = min(MAX_TOKENS, self.llama.shape.n_context - 1)
        expected = reader.read([self._begin, *ids[:limit]], n_new)
        named = {*ids[:limit], *(token for each in expected for token, _ in each.likeliest)}
        vocabulary, special = self.tokenizer.vocabulary, frozenset(self.tokenizer.special_tokens.values())
        known = named.intersection(vocabulary.ids.tolist())  # a model may have more rows than tokens
        raws = {token: vocabulary.raw_of(token) for token in known}
        n_left_out = max(len(ids) - limit, 0)
        n_vocab = self.llama.shape.n_tokens
        return Reading(ids[:limit], lengths[:limit], expected, n_left_out, n_vocab, raws, special & known)

    @cached_property
    def _begin(self) -> int:
        """The token before a text: the file's own if the model was trained with it, else a text's end."""
        header = read_header(header_of(self.path), self.path.name)
        special = self.tokenizer.special_tokens
        is_llama_2 = header.get("tokenizer.ggml.model") == "llama"
        if not header.get("tokenizer.ggml.add_bos_token", is_llama_2) and "<|endoftext|>" in special:
            return special["<|endoftext|>"]
        return int(header.get("tokenizer.ggml.bos_token_id", 1))

    def _encode(self, parts: Sequence[str]) -> tuple[list[int], list[int]]:
        ids: list[int] = []
        lengths: list[int] = []
        for part in filter(None, parts):
            rest = self.tokenizer.rest if ids else None
            found = rest.encode(part) if rest else self.tokenizer.encode(part)
            ids += found.ids.tolist()
            lengths += found.lengths.tolist()
        return ids, lengths


@dataclass(frozen=True, slots=True)
class About:
    """A model that is run here: its name, its number of weights, and the memory that its process takes."""

    name: str
    n_weights: int
    memory_bytes: int


#: What `about_model` says of the small model.
SMALL_MODEL = About(model_file.NAME, 134_515_008, 1_057_093_504)


def about_model(path: Path) -> About:
    """Return a model's name and sizes. Raises VocabularyFileError if it is not run here, OSError."""
    weights = Weights(path)
    shape, n_weights = checked_shape(weights), weights.n_weights
    memory = 4 * n_weights + MAX_READERS * MAX_TOKENS * shape.n_bytes_a_token + 3 * 4 * CHUNK * shape.n_tokens
    return About(path.stem, n_weights, memory + _OTHER_BYTES)


_held: list[Model] = []


def read_text(path: str, key: str, parts: Sequence[str], n_new: int = CHUNK) -> Reading:
    """Read a text with a model's file, which stays in this process; see `Model.read`.

    Raises VocabularyFileError, OSError.
    """
    status = Path(path).stat()
    stamp = status.st_size, status.st_mtime_ns
    if not _held or (_held[0].path, _held[0].stamp) != (Path(path), stamp):
        _held[:] = ()  # frees the other model first
        _held[:] = (Model(Path(path), stamp),)
    return _held[0].read(key, parts, n_new)
