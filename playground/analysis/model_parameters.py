"""Parameters of models, split into rows (embedding and lm_head) and all others."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Model:
    """A model's width and its parameters outside the rows; `is_tied` if lm_head is the embedding.

    >>> model = Model("own", width=8, n_others=1_000, is_tied=False)
    >>> model.n_in_rows(500), model.share_of_rows(500)
    (8000, 0.888...)
    """

    label: str
    width: int
    n_others: int
    is_tied: bool

    def n_in_rows(self, size: int) -> int:
        """Return the parameters of the embedding and lm_head for a vocabulary of `size`."""
        return size * self.width * (1 if self.is_tied else 2)

    def share_of_rows(self, size: int) -> float:
        """Return the share of all parameters that is in rows, from 0.0 to 1.0."""
        n_in_rows = self.n_in_rows(size)
        return n_in_rows / (n_in_rows + self.n_others) if n_in_rows else 0.0


def gpt2_others(width: int, n_layers: int) -> int:
    """Return GPT-2's parameters outside the rows: positions, layers with biases, norms (Radford et al. 2019).

    >>> gpt2_others(768, 12) + 50_257 * 768
    124439808
    """
    return 1_024 * width + n_layers * (12 * width**2 + 13 * width) + 2 * width


def llama_others(width: int, n_layers: int, queries: int, keys: int, hidden: int) -> int:
    """Return Llama's parameters outside the rows: attention, gated feed-forward, norms (arXiv:2307.09288).

    >>> llama_others(4_096, 32, 4_096, 4_096, 11_008) + 2 * 32_000 * 4_096
    6738415616
    """
    layer = 2 * width * queries + 2 * width * keys + 3 * width * hidden + 2 * width
    return n_layers * layer + width


#: Shapes from the papers; Llama 3: arXiv:2407.21783, Gemma: arXiv:2403.08295.
MODELS = {
    "gpt2": Model("GPT-2", 768, gpt2_others(768, 12), is_tied=True),
    "gpt2_xl": Model("GPT-2 XL", 1_600, gpt2_others(1_600, 48), is_tied=True),
    "llama2_7b": Model("Llama 2", 4_096, llama_others(4_096, 32, 4_096, 4_096, 11_008), is_tied=False),
    "llama3_8b": Model("Llama 3", 4_096, llama_others(4_096, 32, 4_096, 1_024, 14_336), is_tied=False),
    "gemma_7b": Model("Gemma", 3_072, llama_others(3_072, 28, 4_096, 4_096, 24_576), is_tied=True),
}

#: Rows of well-known vocabularies, with special tokens and gaps between ids.
KNOWN_SIZES = {"gpt2": 50_257, "cl100k_base": 100_277, "o200k_base": 200_019}
