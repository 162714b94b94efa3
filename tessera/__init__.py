"""Count, encode, compare and train tokenizers from Python: `import tessera`.

What is named here is public and stays; everything in `playground` may change. The examples of docs/python.md
run in the tests.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.local_models import LocalPlaces
from playground.catalog.named_tokenizers import tokenizer_named
from playground.core.errors import PlaygroundError as TesseraError
from playground.core.extras import names_missing_extra
from playground.core.home import VERSION as __version__
from playground.core.tokenizer import Tokenizer as _AnyTokenizer
from playground.core.tokenizer import segment as _segment
from playground.core.tokens import Token

if TYPE_CHECKING:
    from playground.analysis.chat_counts import ChatCount
    from playground.analysis.comparison import ComparisonRow
    from playground.core.building import Building
    from playground.corpora.encoders import Encoder
    from playground.drift.search import Search
    from playground.formats.costs import CostTable
    from playground.notebook.drawings import Drawing

__all__ = [
    "TesseraError",
    "Token",
    "Tokenizer",
    "__version__",
    "chat",
    "compare",
    "count",
    "difference",
    "formats",
    "get",
    "show",
    "train",
]


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer of any kind; `get` and `train` return one.

    `special` are the special tokens that a text may contain as such: their names, or "all". By default they
    are ordinary text.
    """

    _own: _AnyTokenizer
    _encoders: "dict[frozenset[str], Encoder]" = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def name(self) -> str:
        """The name of the encoding, or of the file."""
        return self._own.name

    @property
    @names_missing_extra("n_vocab")
    def n_vocab(self) -> int:
        """The largest id plus one."""
        return self._own.vocabulary.n_vocab

    @property
    @names_missing_extra("special_tokens")
    def special_tokens(self) -> Mapping[str, int]:
        """Map each special token to its id."""
        return self._own.special_tokens

    @names_missing_extra("encode")
    def encode(self, text: str, *, special: Iterable[str] | str = ()) -> list[int]:
        """Return the ids of a text, equal to those of the tokenizer's own library."""
        ids: list[int] = self._own.encode(text, allowed_special=self._allowed(special)).ids.tolist()
        return ids

    @names_missing_extra("decode")
    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; invalid UTF-8 becomes U+FFFD. Raises TesseraError for an unknown id."""
        return self._own.decode(ids)

    @names_missing_extra("count")
    def count(self, text: str, *, special: Iterable[str] | str = ()) -> int:
        """Return the number of tokens; large texts are counted as `tessera count` counts files."""
        return self._encoder(self._allowed(special)).lengths([text])[0]

    @names_missing_extra("tokens")
    def tokens(self, text: str, *, special: Iterable[str] | str = ()) -> list[Token]:
        """Return the tokens with their bytes and their spans in bytes and in characters."""
        return list(_segment(self._own, text, allowed_special=self._allowed(special)).tokens)

    @names_missing_extra("explain")
    def explain(self, text: str) -> "list[Building]":
        """Return how the tokens of each pretoken come about: merges, a lattice of pieces, or given."""
        return [self._own.build(pretoken) for pretoken in self._own.iter_pretokens(text)]

    def _encoder(self, allowed: frozenset[str]) -> "Encoder":
        from playground.corpora.encoders import Encoder

        return self._encoders.setdefault(allowed, Encoder(self._own, allowed_special=allowed))

    def _allowed(self, special: Iterable[str] | str) -> frozenset[str]:
        return frozenset(self._own.special_tokens if special == "all" else special)


@names_missing_extra("get")
def get(name_or_file: str | Path, *, pattern: str = "") -> Tokenizer:
    """Return the tokenizer of a name, a model, or a file or folder of a tokenizer.

    `pattern` is the split pattern of a file of ranks that has none: a name such as "cl100k", or an
    expression.

    >>> get("gpt-4o").encode("Hello world")
    [13225, 2375]
    """
    split = SplitPattern.parse(pattern) if pattern else None
    return Tokenizer(tokenizer_named(str(name_or_file), lambda: split, LocalPlaces.here()))


@overload
def count(texts: str, *, model: str | Path = ...) -> int: ...  # type: ignore[overload-overlap]
@overload
def count(texts: Sequence[str], *, model: str | Path = ...) -> list[int]: ...
@names_missing_extra("count")
def count(texts: str | Sequence[str], *, model: str | Path = "gpt-4o") -> int | list[int]:
    """Return the number of tokens of a text, or of each of several, for a model, an encoding or a file.

    >>> count("Hello world", model="gpt2"), count(["Hello world", ""], model="gpt2")
    (2, [2, 0])
    """
    encoder = get(model)._encoder(frozenset())
    return encoder.lengths([texts])[0] if isinstance(texts, str) else encoder.lengths(texts)


@names_missing_extra("compare")
def compare(text: str, tokenizers: Sequence[str | Path | Tokenizer]) -> "list[ComparisonRow]":
    """Return a row for each tokenizer: its tokens, ratios, and the boundaries it shares with the first.

    >>> [(row.tokenizer_name, row.n_tokens) for row in compare("안녕하세요", ["gpt2", "o200k_base"])]
    [('gpt2', 14), ('o200k_base', 2)]
    """
    from playground.analysis.comparison import comparison_rows, cut_text

    return comparison_rows(text, [cut_text(_tokenizer(one)._own, text) for one in tokenizers])


@names_missing_extra("difference")
def difference(
    one: str | Path | Tokenizer, other: str | Path | Tokenizer, *, max_texts: int = 7_500
) -> "Search":
    """Find the shortest text on which two tokenizers differ, and the step that caused it.

    >>> found = difference("r50k_base", "p50k_base").difference
    >>> found.text, found.step
    ('  ', 'merges')
    """
    from playground.drift.search import find_difference

    return find_difference(_tokenizer(one)._own, _tokenizer(other)._own, max_texts=max_texts)


@names_missing_extra("train")
def train(
    texts: Sequence[str],
    *,
    vocab_size: int = 1_000,
    algorithm: str = "bpe",
    pattern: str = "cl100k",
    name: str = "trained",
    **options: str | float | bool,
) -> Tokenizer:
    """Learn a tokenizer from texts; the algorithms and their options are those of `tessera train --help`.

    >>> train(["the cat sat on the mat"] * 9, vocab_size=260).n_vocab
    260
    """
    from playground.shell.training_options import chosen_options
    from playground.training.algorithms.learner import TrainingTexts
    from playground.training.algorithms.registry import get_algorithm
    from playground.training.corpora import Corpus
    from playground.training.pretoken_counts import count_pretokens

    chosen = get_algorithm(algorithm)
    split = SplitPattern.parse(pattern)
    corpus = Corpus(name, tuple(texts))
    counts = count_pretokens([[text] for text in texts], split)
    given = chosen_options(chosen, [f"{key}={value}" for key, value in options.items()])
    learner = chosen.start(TrainingTexts(counts, None, corpus, split), vocab_size, given)
    learner.advance()
    return Tokenizer(learner.tokenizer(name))


@names_missing_extra("formats")
def formats(data: Any, *, tokenizers: Sequence[str | Path | Tokenizer] = ("gpt-4o",)) -> "CostTable":
    """Write data in every format, and count the tokens of each; formats that lose something say what.

    >>> formats({"a": [1, 2]}, tokenizers=["gpt2"]).n_tokens["gpt2"]["json_compact"]
    7
    """
    from playground.formats.costs import measure

    return measure(data, [_tokenizer(one)._own for one in tokenizers])


@names_missing_extra("chat")
def chat(request: Any, *, model: str | Path = "") -> "ChatCount":
    """Count a chat: a request of OpenAI's, Anthropic's or Gemini's API, or a list of messages.

    It is counted for `model`, else for the model that the request names.

    >>> chat([{"role": "user", "content": "Hi"}], model="gpt-4o").n_tokens
    8
    """
    from playground.analysis.chat_counts import chat_model_for, count_chat
    from playground.analysis.chat_requests import read_chat_request

    read = read_chat_request(request if isinstance(request, str) else json.dumps(request))
    return count_chat(read, chat_model_for(read, str(model), lambda name: get(name)._own))


@names_missing_extra("show")
def show(text: str, tokenizer: str | Path | Tokenizer = "gpt-4o") -> "Drawing":
    """Draw a text's tokens in a notebook.

    >>> show("Hello world", "gpt2")
    gpt2: 2 tokens, 11 characters, 11 bytes, 5.50 bytes per token: 15496 995
    """
    from playground.notebook.drawings import show as drawn

    return drawn(text, _tokenizer(tokenizer)._own)


def _tokenizer(one: str | Path | Tokenizer) -> Tokenizer:
    return one if isinstance(one, Tokenizer) else get(one)
