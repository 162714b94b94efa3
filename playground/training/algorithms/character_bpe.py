"""BPE over characters, as in Sennrich et al. (2016): merges chosen as in Hugging Face's trainer.

Characters that the training text lacks become 256 byte tokens, or `<unk>`. Of equally frequent pairs the one
with the lowest ids is merged first; ids count the characters in the order of their code points, then merges.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playground.catalog.opened import OpenedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.cutters import CharacterCutter
from playground.training.algorithms.learned_document import learned_tokenizer
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    LearnerDefaults,
    Option,
    OptionValue,
    TrainingTexts,
    added_tokens,
)
from playground.training.algorithms.symbol_merges import SymbolMerges
from playground.training.film import FollowingFilm
from playground.training.warm_up import PIECES

UNKNOWN = "<unk>"


class CharacterBpeLearner(LearnerDefaults):
    """A training of merges over characters; each step is a merge."""

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        self.pattern = texts.pattern
        self._has_bytes = bool(options.get("byte_fallback", True))
        min_count = options.get("min_count", 2)
        if not isinstance(min_count, int) or min_count < 1:
            raise InvalidInputError(f"the lowest count {min_count!r} makes no sense; choose 1 or more")
        words = {raw.decode(): count for raw, count in texts.pretokens.items()}
        held_out = {raw.decode(): n for raw, n in texts.held_out.items()} if texts.held_out else {}
        alphabet = sorted({character for word in words for character in word})
        fixed = [f"<0x{byte:02X}>" for byte in range(256)] if self._has_bytes else [UNKNOWN]
        n_least = len(fixed) + len(alphabet)
        if vocab_size <= n_least:
            raise InvalidInputError(
                f"the text has {len(alphabet):,} different characters, so merges begin after {n_least:,} "
                "tokens; choose a larger vocabulary"
            )
        self._n_fixed = len(fixed)
        self._id_of = {character: n for n, character in enumerate(alphabet, start=len(fixed))}
        every = [*words, *(word for word in held_out if word not in words)]
        self._merges = SymbolMerges(
            [[token_id for token_id, _size in self.leaves(word)] for word in every],
            [words.get(word, 0) for word in every],
            [held_out.get(word, 0) for word in every],
            [token.encode() for token in (*fixed, *alphabet)],
            vocab_size,
            min_count,
        )

    def leaves(self, text: str) -> list[tuple[int, int]]:
        """Return the tokens of a text before the first merge, each with its number of bytes."""
        found: list[tuple[int, int]] = []
        for character in text:
            raw = character.encode()
            if character in self._id_of or not self._has_bytes:
                found.append((self._id_of.get(character, 0), len(raw)))
            else:
                found += [(byte, 1) for byte in raw]
        return found

    @property
    def n_steps(self) -> int:
        """The number of merges so far."""
        return self._merges.n_made

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges that fill the vocabulary."""
        return self.n_steps + self._merges.n_left

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        return self._merges.stop_reason

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        return self._merges.advance(n_steps)

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return self._merges.curve()

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added."""
        return added_tokens(self._merges.rows()[first:last], self._merges.token_bytes(), first)

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs now, the next merge first."""
        return self._merges.candidates(n_candidates)

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id; of the unknown token its name."""
        learned = self._merges.token_bytes()
        return [bytes([n]) for n in range(256)] + learned[256:] if self._has_bytes else learned

    def merges(self, first: int = 0) -> list[tuple[int, int, int]]:
        """Return left, right and new id of the merges from `first` on."""
        return [row[:3] for row in self._merges.rows()[first:]]

    def cutter(self) -> CharacterCutter:
        """Return how a short text is cut: merges begin with its characters."""
        return CharacterCutter(self.pattern, self._id_of, self._has_bytes)

    def film(self, text: str) -> FollowingFilm:
        """Return the film of a short text, which begins with characters."""
        return FollowingFilm(text, self.pattern, self.merges, self.leaves)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return the tokenizer as a `tokenizer.json`. Raises InvalidInputError for invalid special tokens."""
        spelled = [raw.decode() for raw in self._merges.token_bytes()]
        model = {
            "type": "BPE",
            "dropout": None,
            "unk_token": None if self._has_bytes else UNKNOWN,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": self._has_bytes,
            "ignore_merges": False,
            "vocab": {token: token_id for token_id, token in enumerate(spelled)},
            "merges": [[spelled[left], spelled[right]] for left, right, _new in self.merges()],
        }
        return learned_tokenizer(name, model, len(spelled), self.pattern, special_tokens)


def learn_slowly(words: Mapping[str, int], n_merges: int) -> list[tuple[str, str]]:
    """Return the pairs that merge in counted words, counting everything anew each time; after the paper.

    >>> learn_slowly({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 3)
    [('e', 's'), ('es', 't'), ('l', 'o')]
    """
    cut = {word: list(word) for word in words}
    order = {character: n for n, character in enumerate(sorted(set("".join(words))))}
    merges: list[tuple[str, str]] = []
    for _ in range(n_merges):
        pairs = Counter[tuple[str, str]]()
        for word, count in words.items():
            for pair in zip(cut[word], cut[word][1:], strict=False):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], order[pair[0]], order[pair[1]]))
        merges.append(best)
        order.setdefault("".join(best), len(order))
        for parts in cut.values():
            place = 0
            while place + 1 < len(parts):
                if (parts[place], parts[place + 1]) == best:
                    parts[place : place + 2] = ["".join(best)]
                place += 1
    return merges


CHARACTER_BPE = Algorithm(
    "character-bpe", "BPE over characters",
    "Keep merging the most frequent pair of neighbouring tokens, beginning with characters.",
    "Sennrich et al. 2016, arXiv 1508.07909; Hugging Face’s trainer",
    (
        Option(
            "byte_fallback", "Bytes for unknown characters",
            "Characters that the training text lacks become byte tokens; without byte tokens they become "
            f"{UNKNOWN}.", True,
        ),
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    CharacterBpeLearner,
    kernels=PIECES,
    code=(learn_slowly,),
)  # fmt: skip
