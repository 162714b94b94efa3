"""BPE over characters, as in Sennrich et al. (2016): merges chosen as in Hugging Face's trainer.

Characters that the training text lacks become 256 byte tokens, or `<unk>`. Of equally frequent pairs the one
with the lowest ids is merged first; ids count the characters in the order of their code points, then merges.
"""

from collections.abc import Mapping

from playground.catalog.opened import OpenedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.bpe import MIN_COUNT, chosen_min_count, learn
from playground.training.algorithms.cutters import CharacterCutter
from playground.training.algorithms.learned_document import learned_tokenizer
from playground.training.algorithms.learner import Algorithm, Option, OptionValue, TrainingTexts
from playground.training.algorithms.merge_learner import MergeLearner
from playground.training.algorithms.words import Words

UNKNOWN = "<unk>"


def words_of_characters(
    counts: Mapping[str, int],
    held_out: Mapping[str, int],
    fixed: list[str],
    *,
    min_count: int,
) -> tuple[Words, list[str]]:
    """Return words of characters, and the tokens: `fixed` ones, then the characters of the counted words.

    Characters that only the held-out text has are bytes, or token 0 if there is one fixed token.

    >>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    >>> words, alphabet = words_of_characters(counts, {}, [], min_count=1)
    >>> tokens = [character.encode() for character in alphabet]
    >>> [merge.pair_count for merge in learn(words, tokens, len(alphabet) + 3)], tokens[-3:]
    ([9, 9, 7], [b'es', b'est', b'lo'])
    """
    alphabet = sorted({character for word in counts for character in word})
    id_of = {character: [token_id] for token_id, character in enumerate(alphabet, start=len(fixed))}
    for character in {character for word in held_out for character in word}.difference(alphabet):
        id_of[character] = list(character.encode()) if len(fixed) == 256 else [0]
    rows = [
        ([token_id for character in word for token_id in id_of[character]], count, held_out.get(word, 0))
        for word, count in {**dict.fromkeys(held_out, 0), **counts}.items()
    ]
    tokens = [*fixed, *alphabet]
    return Words(rows, len(tokens), min_count=min_count), tokens


class CharacterBpeLearner(MergeLearner):
    """A training of merges over characters; each step is a merge."""

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        self._has_bytes = bool(options.get("byte_fallback", True))
        fixed = [f"<0x{byte:02X}>" for byte in range(256)] if self._has_bytes else [UNKNOWN]
        words, spelled = words_of_characters(
            {raw.decode(): count for raw, count in texts.pretokens.items()},
            {raw.decode(): count for raw, count in texts.held_out.items()} if texts.held_out else {},
            fixed,
            min_count=chosen_min_count(options),
        )
        if vocab_size <= len(spelled):
            raise InvalidInputError(
                f"the text has {len(spelled) - len(fixed):,} different characters, so merges begin after "
                f"{len(spelled):,} tokens; choose a larger vocabulary"
            )
        tokens = [token.encode() for token in spelled]
        events = learn(words, tokens, vocab_size, shares_ids=True)
        id_of = {token: token_id for token_id, token in enumerate(spelled) if token_id >= len(fixed)}
        cutter = CharacterCutter(texts.pattern, id_of, self._has_bytes)
        super().__init__(words, tokens, events, vocab_size, texts.pattern, cutter)

    def token_bytes(self) -> list[bytes]:
        """Return the bytes of each id; of the unknown token its name."""
        learned = super().token_bytes()
        return [bytes([n]) for n in range(256)] + learned[256:] if self._has_bytes else learned

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return the tokenizer as a `tokenizer.json`. Raises InvalidInputError for invalid special tokens."""
        spelled = [raw.decode() for raw in super().token_bytes()]
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
            "merges": [[spelled[left], spelled[right]] for left, right, _new in self.pairs()],
        }
        return learned_tokenizer(name, model, len(spelled), self.pattern, special_tokens)


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
        MIN_COUNT,
    ),
    CharacterBpeLearner,
    code=(words_of_characters, learn, Words),
)  # fmt: skip
