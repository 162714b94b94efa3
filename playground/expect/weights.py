"""The weights of a GGUF file as float32, in the types of tensors that models of this size are shared in."""

from collections.abc import Callable, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from playground.core.errors import VocabularyFileError
from playground.files.gguf import TensorPlace, read_tensors

Array = NDArray[np.float32]
#: Blocks of a tensor, a row of bytes each.
Blocks = NDArray[np.uint8]


class TensorType(NamedTuple):
    """How a tensor is stored: bytes and weights of a block, and what makes weights of blocks."""

    name: str
    n_bytes: int
    n_weights: int
    dequantize: Callable[[Blocks], Array]


def _f32(blocks: Blocks) -> Array:
    return blocks.view("<f4").astype(np.float32)


def _f16(blocks: Blocks) -> Array:
    return blocks.view("<f2").astype(np.float32)


def _bf16(blocks: Blocks) -> Array:
    return (blocks.view("<u2").astype(np.uint32) << 16).view(np.float32)


def _halves(quants: Blocks) -> Blocks:
    """Return the low four bits of each byte, then the high ones."""
    return np.concatenate([quants & 15, quants >> 4], axis=-1)


def _q4_0(blocks: Blocks) -> Array:
    return _f16(blocks[:, :2]) * (_halves(blocks[:, 2:]).astype(np.float32) - 8)


def _q4_1(blocks: Blocks) -> Array:
    return _f16(blocks[:, :2]) * _halves(blocks[:, 4:]) + _f16(blocks[:, 2:4])


def _q5_0(blocks: Blocks) -> Array:
    fifth_bits = np.unpackbits(blocks[:, 2:6], axis=-1, bitorder="little")
    return _f16(blocks[:, :2]) * ((_halves(blocks[:, 6:]) | fifth_bits << 4).astype(np.float32) - 16)


def _q8_0(blocks: Blocks) -> Array:
    return _f16(blocks[:, :2]) * blocks[:, 2:].view(np.int8)


def _q4_k(blocks: Blocks) -> Array:
    """Eight groups of 32 weights, each with a scale and a minimum of six bits."""
    low, middle, high = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = np.concatenate([low & 63, high & 15 | low >> 2 & 48], axis=-1)
    minima = np.concatenate([middle & 63, high >> 4 | middle >> 2 & 48], axis=-1)
    quants = _halves(blocks[:, 16:].reshape(-1, 4, 32)).reshape(-1, 8, 32)
    scale, minimum = _f16(blocks[:, :2]) * scales, _f16(blocks[:, 2:4]) * minima
    weights: Array = (scale[:, :, None] * quants - minimum[:, :, None]).reshape(-1, 256)
    return weights


def _q6_k(blocks: Blocks) -> Array:
    """Sixteen groups of 16 weights, each with a scale of eight bits."""
    low = blocks[:, :128].reshape(-1, 2, 1, 64) >> np.array([0, 4], np.uint8)[:, None] & 15
    high = blocks[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3
    quants = (low.reshape(-1, 16, 16) | high.reshape(-1, 16, 16) << 4).astype(np.float32) - 32
    scales = _f16(blocks[:, 208:]) * blocks[:, 192:208].view(np.int8)
    return (scales[:, :, None] * quants).reshape(-1, 256)


#: Types by their numbers in GGUF. Q4_K_M files have tensors of Q4_K and Q6_K, and Q5_0 for narrow ones.
TYPES: Mapping[int, TensorType] = {
    0: TensorType("F32", 4, 1, _f32),
    1: TensorType("F16", 2, 1, _f16),
    2: TensorType("Q4_0", 18, 32, _q4_0),
    3: TensorType("Q4_1", 20, 32, _q4_1),
    6: TensorType("Q5_0", 22, 32, _q5_0),
    8: TensorType("Q8_0", 34, 32, _q8_0),
    12: TensorType("Q4_K", 144, 256, _q4_k),
    14: TensorType("Q6_K", 210, 256, _q6_k),
    30: TensorType("BF16", 2, 1, _bf16),
}


class Weights:
    """The header and the tensors of a file. Raises VocabularyFileError, OSError."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            if path.stat().st_size < 4:
                raise VocabularyFileError(f"{path.name} is not a GGUF file")
            self._raw = mmap(file.fileno(), 0, access=ACCESS_READ)
        self.file_name = path.name
        self.header, self.places = read_tensors(self._raw, path.name)
        for name, place in self.places.items():
            self._check(name, place)

    @property
    def n_weights(self) -> int:
        """The number of weights of all tensors."""
        return sum(int(np.prod(place.shape, dtype=object)) for place in self.places.values())

    def get(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """Return a value of the header, checked. Raises VocabularyFileError."""
        value = self.header.get(key, default)
        if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
            raise VocabularyFileError(f"{self.file_name}: {key} is missing or has a wrong type")
        return value

    def read(self, name: str) -> Array:
        """Return a tensor as float32."""
        place = self.places[name]
        kind = TYPES[place.kind]
        n_blocks = int(np.prod(place.shape)) // kind.n_weights
        raw = np.frombuffer(self._raw, np.uint8, n_blocks * kind.n_bytes, place.start)
        blocks = raw.reshape(-1, kind.n_bytes * (1 if kind.n_weights > 1 else place.shape[-1]))
        return kind.dequantize(blocks).reshape(place.shape)

    def _check(self, name: str, place: TensorPlace) -> None:
        kind = TYPES.get(place.kind)
        if kind is None:
            known = ", ".join(each.name for each in TYPES.values())
            raise VocabularyFileError(
                f"{self.file_name}: the weights of {name} have a type (number {place.kind}) that is not "
                f"read; use a file of {known}, such as Q8_0 or Q4_K_M"
            )
        n_weights = int(np.prod(place.shape, dtype=object))
        if not place.shape or n_weights < 1 or place.shape[-1] % kind.n_weights:
            raise VocabularyFileError(f"{self.file_name}: {name} has the shape {place.shape}")
        if place.start + n_weights // kind.n_weights * kind.n_bytes > len(self._raw):
            raise VocabularyFileError(f"{self.file_name} ends before its weights do; copy or fetch it again")
