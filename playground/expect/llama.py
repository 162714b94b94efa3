"""A forward pass of the Llama architecture (SmolLM2, Llama 2 and 3, Mistral, TinyLlama) with NumPy alone.

    embed -> n x [ RMSNorm -> attention -> add ; RMSNorm -> SwiGLU -> add ] -> RMSNorm -> logits

Names are those of llama.cpp, whose log-probabilities are the oracle of the tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playground.core.errors import VocabularyFileError
from playground.expect.weights import Array, Weights

#: The largest model, in weights: 6 GB of memory as float32, and about half a second for a token on one core.
MAX_WEIGHTS = 1_500_000_000
_IN_BLOCK = (
    *("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output"),
    *("ffn_norm", "ffn_gate", "ffn_up", "ffn_down"),
)
_EMBEDDING, _OUTPUT, _LAST_NORM = "token_embd.weight", "output.weight", "output_norm.weight"
#: Factors of the frequencies of Llama 3.1 and later.
_FACTORS = "rope_freqs.weight"


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a model, of which those of its tensors follow."""

    n_layers: int
    n_heads: int
    n_key_heads: int
    width: int
    hidden_width: int
    head_width: int
    n_tokens: int
    n_context: int
    n_turned: int
    frequency_base: float
    epsilon: float

    @classmethod
    def of(cls, weights: Weights) -> "Shape":
        """Return the sizes in a header. Raises VocabularyFileError for a model that is not run here."""
        kind = weights.get("general.architecture", str, "")
        if kind != "llama":
            raise VocabularyFileError(
                f"{weights.file_name} has the architecture {kind or 'of no name'}; models of the "
                "architecture llama are run here (SmolLM2, Llama 2 and 3, TinyLlama)"
            )
        if weights.header.get("llama.rope.scaling.type", "none") != "none":
            raise VocabularyFileError(
                f"{weights.file_name} scales positions (llama.rope.scaling.type), which is not run here"
            )
        if weights.header.get("llama.expert_count", 0):
            raise VocabularyFileError(f"{weights.file_name} is a mixture of experts, which is not run here")

        def size(key: str, default: int | None = None) -> int:
            found: int = weights.get(f"llama.{key}", int, default)
            if not 0 < found < 2**31:
                raise VocabularyFileError(f"{weights.file_name}: llama.{key} is {found}")
            return found

        n_heads, width = size("attention.head_count"), size("embedding_length")
        head_width = size("attention.key_length", max(width // n_heads, 1))
        embedding = weights.places.get(_EMBEDDING)
        return cls(
            n_layers=size("block_count"),
            n_heads=n_heads,
            n_key_heads=size("attention.head_count_kv", n_heads),
            width=width,
            hidden_width=size("feed_forward_length"),
            head_width=head_width,
            n_tokens=embedding.shape[0] if embedding else 0,
            n_context=size("context_length"),
            n_turned=size("rope.dimension_count", head_width),
            frequency_base=float(weights.get("llama.rope.freq_base", (int, float), 10_000.0)),
            epsilon=float(weights.get("llama.attention.layer_norm_rms_epsilon", (int, float))),
        )

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The tensors that a model has, with their shapes; `output.weight` and the factors may be missing."""
        query, key = self.n_heads * self.head_width, self.n_key_heads * self.head_width
        width, hidden = self.width, self.hidden_width
        shapes: tuple[tuple[int, ...], ...] = (
            *((width,), (query, width), (key, width), (key, width), (width, query)),
            *((width,), (hidden, width), (hidden, width), (width, hidden)),
        )
        outer: dict[str, tuple[int, ...]] = {
            _EMBEDDING: (self.n_tokens, width),
            _OUTPUT: (self.n_tokens, width),
        }
        outer |= {_LAST_NORM: (width,), _FACTORS: (self.n_turned // 2,)}
        return outer | {
            f"blk.{layer}.{name}.weight": shape
            for layer in range(self.n_layers)
            for name, shape in zip(_IN_BLOCK, shapes, strict=True)
        }

    @property
    def n_bytes_a_token(self) -> int:
        """The memory of a token's keys and values, and of its last hidden state."""
        return 4 * (2 * self.n_layers * self.n_key_heads * self.head_width + self.width)


def checked_shape(weights: Weights) -> Shape:
    """Return the sizes of a model that is run here. Raises VocabularyFileError with what is not known."""
    shape, name = Shape.of(weights), weights.file_name
    if shape.n_heads % shape.n_key_heads or shape.n_turned % 2 or shape.n_turned > shape.head_width:
        raise VocabularyFileError(f"{name}: the numbers of heads in its header do not fit each other")
    if (n := weights.n_weights) > MAX_WEIGHTS:
        raise VocabularyFileError(
            f"{name} has {n / 1e9:,.1f} billion weights; up to {MAX_WEIGHTS / 1e9:g} billion are run here"
        )
    if shape.n_layers > len(weights.places):
        raise VocabularyFileError(f"{name}: it names {shape.n_layers:,} layers, and has fewer tensors")
    wanted = shape.tensors
    if unknown := weights.places.keys() - wanted.keys():
        raise VocabularyFileError(f"{name} has weights that are not known here: {min(unknown)}")
    if missing := wanted.keys() - weights.places.keys() - {_OUTPUT, _FACTORS}:
        raise VocabularyFileError(f"{name} lacks the weights {min(missing)}")
    for tensor, place in weights.places.items():
        if place.shape != wanted[tensor]:
            raise VocabularyFileError(f"{name}: {tensor} has the shape {place.shape}, not {wanted[tensor]}")
    return shape


class Llama:
    """A model: `forward` returns the hidden states of new tokens, and `logits` the scores of what follows."""

    def __init__(self, weights: Weights) -> None:
        self.shape = shape = checked_shape(weights)
        self._weights = {name: weights.read(name) for name in weights.places}
        turned = np.arange(0, shape.n_turned, 2) / shape.n_turned
        self._frequencies = shape.frequency_base**-turned / self._weights.get(_FACTORS, 1.0)

    def forward(self, tokens: Sequence[int], keys: Array, values: Array, start: int) -> Array:
        """Return (tokens, width); write keys and values from `start` on into (layers, heads, n, head)."""
        weights, end = self._weights, start + len(tokens)
        angles = np.arange(start, end)[:, None] * self._frequencies
        turns = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        future = np.arange(end) > np.arange(start, end)[:, None]  # a token sees itself and those before it
        x = weights[_EMBEDDING][list(tokens)]
        for layer in range(self.shape.n_layers):
            normed = self._norm(x, f"blk.{layer}.attn_norm.weight")
            query, key, value = (
                self._heads(normed @ weights[f"blk.{layer}.attn_{of}.weight"].T) for of in "qkv"
            )
            keys[layer, :, start:end], values[layer, :, start:end] = _rotate(key, turns), value
            seen = self._attend(_rotate(query, turns), keys[layer, :, :end], values[layer, :, :end], future)
            x = x + seen @ weights[f"blk.{layer}.attn_output.weight"].T
            normed = self._norm(x, f"blk.{layer}.ffn_norm.weight")
            gate = normed @ weights[f"blk.{layer}.ffn_gate.weight"].T
            up = normed @ weights[f"blk.{layer}.ffn_up.weight"].T
            x = x + (gate / (1 + np.exp(-gate)) * up) @ weights[f"blk.{layer}.ffn_down.weight"].T
        return self._norm(x, _LAST_NORM)

    def logits(self, hidden: Array) -> Array:
        """Return (tokens, vocabulary); many models use the embedding as the output, too."""
        output = self._weights.get(_OUTPUT, self._weights[_EMBEDDING])
        scores: Array = hidden @ output.T
        return scores

    def _norm(self, x: Array, name: str) -> Array:
        scale = 1 / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(self.shape.epsilon))
        normed: Array = x * scale * self._weights[name]
        return normed

    def _heads(self, x: Array) -> Array:
        """Turn (tokens, heads * head) into (heads, tokens, head)."""
        return x.reshape(len(x), -1, self.shape.head_width).transpose(1, 0, 2)

    def _attend(self, query: Array, keys: Array, values: Array, future: np.ndarray) -> Array:
        """Return (tokens, heads * head); several query heads share a head of keys and values (GQA)."""
        shape, n = self.shape, query.shape[1]
        grouped = query.reshape(shape.n_key_heads, -1, shape.head_width)
        scores = (grouped @ keys.transpose(0, 2, 1)) / np.float32(np.sqrt(shape.head_width))
        scores = scores.reshape(shape.n_heads, n, -1)
        scores[:, future] = -np.inf
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        seen = scores.reshape(shape.n_key_heads, -1, scores.shape[-1]) @ values
        together: Array = seen.reshape(shape.n_heads, n, shape.head_width).transpose(1, 0, 2).reshape(n, -1)
        return together


def _rotate(x: Array, turns: tuple[Array, Array]) -> Array:
    """Turn each pair of neighbouring values by the token's position (RoPE)."""
    (cos, sin), turned = turns, np.array(x)
    n = 2 * cos.shape[-1]
    even, odd = x[..., 0:n:2], x[..., 1:n:2]
    turned[..., 0:n:2], turned[..., 1:n:2] = even * cos - odd * sin, even * sin + odd * cos
    return turned
