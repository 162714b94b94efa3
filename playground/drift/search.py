"""`find_difference`: the shortest text on which two tokenizers differ, and the step that caused it."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Vocabulary
from playground.core.wording import counted
from playground.drift.definition import equal_by_definition
from playground.drift.shrinking import shrink
from playground.drift.steps import Step, find_cause, ids_of_texts
from playground.drift.texts import id_of_raws, iter_stages, simplicity

#: Texts that are tried before the search ends: 1.6 to 2.3 s of CPU time for 256,000 tokens in library files.
DEFAULT_TEXTS = 7_500
MAX_TEXTS = 10_000_000
#: Texts of a stage that are shrunk. The first ones are the shortest.
_N_SHRUNK = 12
#: Texts that a library gets at once.
_N_AT_ONCE = 256
#: What is compared of each text.
_Read = Callable[[Tokenizer, Sequence[str]], Sequence[object]]


class SideToken(NamedTuple):
    """A token of the text: its id, and its spelling in files."""

    id: int
    spelled: str


class Difference(NamedTuple):
    """A text that two tokenizers encode differently, and the step that caused it.

    `sides` are the tokens of each tokenizer; None for a tokenizer that refuses the text. No character can be
    removed from the text without the difference going too.
    """

    text: str
    step: Step
    why: str
    sides: tuple[tuple[SideToken, ...] | None, tuple[SideToken, ...] | None]


class Search(NamedTuple):
    """What was found after `n_texts` texts: a difference, a proof that there is none, or neither.

    Tokens are compared by their ids, or with `by_bytes` by their bytes, because ids of the two vocabularies
    have nothing in common.
    """

    names: tuple[str, str]
    n_texts: int
    by_bytes: bool
    difference: Difference | None
    proof: str

    @property
    def sentence(self) -> str:
        """What was found, as a sentence."""
        if self.proof:
            return f"Equal by definition: {self.proof[0].lower()}{self.proof[1:]}"
        if self.difference is None:
            return f"None found in {counted(self.n_texts, 'text')}."
        return self.difference.why

    @property
    def compared(self) -> str:
        """What was compared, as a sentence; "" for ids."""
        if not self.by_bytes:
            return ""
        return "The two tokenizers’ ids have little in common, so tokens were compared by their bytes."


def find_difference(one: Tokenizer, other: Tokenizer, *, max_texts: int = DEFAULT_TEXTS) -> Search:
    """Return the shortest text found on which two tokenizers differ, with special tokens recognized.

    At most `max_texts` texts are tried, and then those to which a differing text is shrunk. The answer is the
    same at each call.

    >>> from playground.catalog.registry import get_tokenizer
    >>> found = find_difference(get_tokenizer("r50k_base"), get_tokenizer("p50k_base"))
    >>> found.difference.text, found.difference.step, [len(tokens) for tokens in found.difference.sides]
    ('  ', 'merges', [2, 1])
    """
    names = one.name, other.name
    if proof := equal_by_definition(one, other):
        return Search(names, 0, False, None, proof)
    by_bytes = not have_common_ids(one.vocabulary, other.vocabulary)
    read: _Read = _raws_of_texts if by_bytes else ids_of_texts
    tried: dict[str, bool] = {}

    def differ(texts: Sequence[str]) -> list[str]:
        """Return those of new texts that differ."""
        pairs = zip(read(one, texts), read(other, texts), strict=True)
        for text, (found, its) in zip(texts, pairs, strict=True):
            tried[text] = found != its
        return [text for text in texts if tried[text]]

    def differs(text: str) -> bool:
        if text not in tried:
            differ([text])
        return tried[text]

    for stage in iter_stages(one, other):
        found: list[str] = []
        while len(found) < _N_SHRUNK:
            new = (text for text in stage if text not in tried)
            block = list(dict.fromkeys(islice(new, min(_N_AT_ONCE, max_texts - len(tried)))))
            if not block:
                break
            found += differ(block)
        if found:
            text = min((shrink(text, differs) for text in found[:_N_SHRUNK]), key=simplicity)
            step, why = find_cause(one, other, text)
            difference = Difference(text, step, why, (_side(one, text), _side(other, text)))
            return Search(names, len(tried), by_bytes, difference, "")
    return Search(names, len(tried), by_bytes, None, "")


def find_in_worker(one: Tokenizer | str, other: Tokenizer | str, max_texts: int) -> Search:
    """Return what `find_difference` returns, in a worker process; a name stands for a built-in tokenizer."""
    first, second = (get_tokenizer(each) if isinstance(each, str) else each for each in (one, other))
    return find_difference(first, second, max_texts=max_texts)


def have_common_ids(one: Vocabulary, other: Vocabulary) -> bool:
    """Whether at least half of the tokens that two vocabularies share have the same id in both.

    >>> from playground.catalog.registry import get_tokenizer
    >>> vocabularies = [get_tokenizer(name).vocabulary for name in ("gpt2", "p50k_base", "cl100k_base")]
    >>> have_common_ids(vocabularies[0], vocabularies[1]), have_common_ids(vocabularies[0], vocabularies[2])
    (True, False)
    """
    ids, others = id_of_raws(one), id_of_raws(other)
    shared = ids.keys() & others.keys()
    return 2 * sum(ids[raw] == others[raw] for raw in shared) >= len(shared) > 0


def _raws_of_texts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[bytes] | None]:
    """Return the bytes of the tokens of each text; None for a text that is refused."""
    return [
        None if ids is None else [*tokenizer.vocabulary.raws_of(np.array(ids, np.uint32))]
        for ids in ids_of_texts(tokenizer, texts)
    ]


def _side(tokenizer: Tokenizer, text: str) -> tuple[SideToken, ...] | None:
    """Return the tokens of a text; None if the text is refused."""
    (ids,) = ids_of_texts(tokenizer, [text])
    if ids is None:
        return None
    return tuple(SideToken(token_id, tokenizer.vocabulary.entry(token_id).spelled) for token_id in ids)
