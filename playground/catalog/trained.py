"""Byte-level BPE that was trained here, read from a file, or shipped as such a file.

tiktoken encodes if its rule gives the same ids. Training is in `training.algorithms`.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache, cached_property, partial

import regex

from playground.bpe.merging import ByPair, ByRank
from playground.bpe.model import BpeModel
from playground.bpe.safe_cuts import CUTS_LIKE, safe_cut_of
from playground.bpe.special_tokens import encode_ids_around_special
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.file_programs import file_program
from playground.catalog.shipped_vocabularies import check_hash, read_vocabulary
from playground.catalog.tiktoken_encoding import (
    TIKTOKEN_EXPRESSIONS,
    LazyEncoding,
    byte_level_vocabulary,
    encode_known_pattern,
)
from playground.core.building import Merged, Pretoken, place_pretokens
from playground.core.encoding import Encoding
from playground.core.errors import CannotHoldError, LimitExceededError
from playground.core.short_texts import cache_short
from playground.core.tokenizer import (
    NO_SPECIAL,
    PythonProgram,
    decode_bytes,
    replace_lone_surrogates,
)
from playground.core.vocabulary import TableVocabulary
from playground.core.wording import counted
from playground.files.proof import Export
from playground.files.registry import FILE_FORMATS, FileFormat, export, read_model
from playground.files.tiktoken_ranks import tiktoken_program
from playground.files.tokenizer_config import TokenizerConfig
from playground.workers import pool

#: What is said of ranks in no order that merging could have given.
NOT_MERGED = "not a vocabulary that merges could have made"
#: Share of tokens that are not made of two of lower rank; it is 0.7 % in GLM-4's vocabulary, 0 in the others.
_MAX_WHOLE_SHARE = 0.1
#: Tokenizers with more merges are written and proven in a worker, which takes seconds; so are those with a
#: typed pattern, because the libraries hold the interpreter while they search.
MAX_EXPORTED_HERE = 20_000
EXPORT_SECONDS, EXPORT_MEMORY_BYTES = 20.0, 1_500_000_000


@dataclass(frozen=True)
class TrainedTokenizer:
    """A `BpeModel` with a name, as a `Tokenizer`.

    `opening` is the Python that opens its file of ranks if the app ships one; `config` is the config beside
    an opened file.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> merges = ((97, 97, 256), (256, 97, 257), (257, 98, 258))
    >>> TrainedTokenizer("lecture", BpeModel(SplitPattern.named("none"), merges)).encode("aaabdaaabac")
    [258, 100, 258, 97, 99]
    """

    name: str
    model: BpeModel
    _: KW_ONLY
    opening: str = ""
    config: TokenizerConfig | None = None
    rest: None = field(init=False, default=None)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without caches."""
        made = partial(TrainedTokenizer, opening=self.opening, config=self.config)
        return made, (self.name, self.model)

    @cached_property
    def vocabulary(self) -> TableVocabulary:
        """The tokens."""
        raw_of = self.model.token_bytes()
        ranks = map(self.merges.rank_of, raw_of)
        return byte_level_vocabulary(
            self.name, raw_of, raw_of.values(), ranks=ranks, special_tokens=self.special_tokens
        )

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Map each special token to its id."""
        return self.model.special_tokens

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut and encoded in pieces; None for patterns that are not known."""
        pattern = self.model.pattern
        return safe_cut_of(CUTS_LIKE.get(pattern.expression, pattern.name))

    @property
    def split_pattern(self) -> str:
        """The pattern that cuts a text into pretokens; "" for none."""
        return self.model.pattern.expression

    @cached_property
    def merges(self) -> ByRank | ByPair:
        """The rule: by rank if that gives the same ids as the listed pairs, otherwise by pair."""
        if not self.is_exact_in_tiktoken:
            return self.model.merge_rule()
        parts = {new_id: (left, right) for left, right, new_id in self.model.merges}
        return ByRank(self.mergeable_ranks, parts=parts)

    @cached_property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """Map each token's bytes to its id."""
        return self.model.mergeable_ranks()

    @property
    def split_beside_file(self) -> str:
        """The split pattern that was chosen or known for a file that has none; "" if its file has one."""
        read_from = self.model.read_from
        entry = FILE_FORMATS.get(read_from.format_name) if read_from else None
        return "" if entry is None or entry.holds_pattern or self.opening else self.model.pattern.title

    @cached_property
    def about(self) -> str:
        """The kind, the number of tokens, a split pattern that is not in the file, and doubts."""
        split = self.split_beside_file
        n_made = len(self.model.merges) + len(self.model.whole)
        is_doubtful = len(self.model.whole) > _MAX_WHOLE_SHARE * n_made
        return " · ".join(
            [
                self._kind_and_size,
                *([f"split by {split}"] if split else []),
                *([NOT_MERGED] if is_doubtful else []),
            ]
        )

    @cached_property
    def _kind_and_size(self) -> str:
        if self.model.removals:
            n_tokens = len(self.model.token_bytes()) + len(self.special_tokens)
            return f"byte-level BPE with removals · {counted(n_tokens, 'token')}"
        ids = {*self.model.byte_ids, *(new_id for _, _, new_id in self.model.merges)}
        n_tokens = len(ids) + len(self.model.whole) + len(self.special_tokens)
        return f"byte-level BPE · {counted(n_tokens, 'token')}"

    @cached_property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes once every page has used it.

        Measured with cl100k's 100,000 merges on all pages: 90 MB for each of three.
        """
        n_bytes_of = dict.fromkeys(self.model.byte_ids, 1)
        for left, right, new_id in self.model.merges:
            n_bytes_of[new_id] = n_bytes_of[left] + n_bytes_of[right]
        n_token_bytes = sum(n_bytes_of.values())
        n_beside = self.config.n_bytes_held if self.config else 0
        return 900 * (len(n_bytes_of) + len(self.special_tokens)) + 6 * n_token_bytes + n_beside

    @cached_property
    def is_exact_in_tiktoken(self) -> bool:
        """Whether tiktoken's rule, ranks without pairs, gives the same ids."""
        return not self.model.removals and next(self.model.misfits(), None) is None

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        """Return the ids of a text."""
        return encode_ids_around_special(self, text, allowed_special, self._encode_ordinary)

    def iter_pretokens(self, text: str) -> Iterator[Pretoken]:
        """Yield the pretokens that the split pattern cuts. Raises InvalidInputError if a typed one fails."""
        return place_pretokens(self._cut(replace_lone_surrogates(text)))

    def encode_pretoken(self, text: str) -> Sequence[int]:
        """Return the ids of a text that is merged as one pretoken."""
        return self._encode_pretoken(text)

    @cached_property
    def _encode_pretoken(self) -> Callable[[str], Sequence[int]]:
        lazy = self._lazy
        return cache_short(
            (lambda text: self.merges.build(text.encode()).ids) if lazy is None else lazy.encode_pretoken
        )

    def build(self, pretoken: Pretoken) -> Merged:
        """Return the merges of a pretoken."""
        return self.merges.build(pretoken.text.encode())

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; invalid UTF-8 becomes U+FFFD. Raises UnknownTokenError."""
        return decode_bytes(self, ids).decode(errors="replace")

    def python_program(self) -> PythonProgram:
        """Return Python that loads the opened file with its library.

        For a tokenizer that was trained here: its file of ranks in tiktoken, or its tokenizer.json in
        `tokenizers`, whichever is proven first. Raises: CannotHoldError if no library gives its ids.
        """
        return self._program

    def export(self, entry: FileFormat) -> Export:
        """Return files for another tool, with the proof that it gives these ids. Raises CannotHoldError.

        >>> from playground.catalog.trained import load_python_docs
        >>> written = load_python_docs().export(FILE_FORMATS["tiktoken"])
        >>> list(written.files), written.proof.library.split()[0]
        (['python_docs_4k.tiktoken'], 'tiktoken')
        """
        is_typed = not (self.model.pattern.is_known or self.model.pattern.is_none)
        if not is_typed and len(self.model.merges) <= MAX_EXPORTED_HERE:
            return self.export_here(entry)
        try:
            exported: Export = pool.run(
                "playground.catalog.trained.export_model", entry, self.model, self.name,
                what="the proof", seconds=EXPORT_SECONDS, memory_bytes=EXPORT_MEMORY_BYTES,
            )  # fmt: skip
        except LimitExceededError as error:
            raise CannotHoldError(f"the proof did not finish: {error}") from None
        return exported

    def export_here(self, entry: FileFormat) -> Export:
        """Return what `export` returns, made in this process without limits. Raises CannotHoldError."""
        encode = partial(self.encode, allowed_special=frozenset(self.special_tokens))
        return export(entry, self.model, self.name, encode)

    def _encode_ordinary(self, text: str) -> list[int]:
        if self._lazy is not None and self.model.pattern.is_known:
            return encode_known_pattern(self._lazy, text)
        return [token_id for pretoken in self._cut(text) for token_id in self.encode_pretoken(pretoken)]

    def _cut(self, text: str) -> Iterator[str]:
        return (pretoken for pretoken, _is_match in iter_pretokens(text, self.model.pattern))

    @cached_property
    def _lazy(self) -> LazyEncoding | None:
        """The encoding in tiktoken; None if its rule would give other ids."""
        if not self.is_exact_in_tiktoken:
            return None
        return LazyEncoding(
            self.name, pat_str=self.split_pattern, mergeable_ranks=self.mergeable_ranks, special_tokens={}
        )

    @cached_property
    def _program(self) -> PythonProgram:
        if self.model.read_from is not None and not self.opening:
            added = {token.content: token.id for token in self.config.added} if self.config else {}
            return file_program(self.model, self.model.read_from, added, prove=self._prove)
        with contextlib.suppress(CannotHoldError):
            self.export(FILE_FORMATS["tiktoken"])
            of_convert = f"written by Convert on the page Vocabulary, as {self.name}.tiktoken"
            place = "a file that Tessera saves beside Copy Python" if self.opening else of_convert
            program = tiktoken_program(self.model, self.name, self.opening or f'open("{self.name}.tiktoken")')
            return PythonProgram(f"# Its file of ranks is {place}.\n{program}", *TIKTOKEN_EXPRESSIONS)
        self.export(FILE_FORMATS["tokenizer.json"])
        setup = (
            f"# Its tokenizer.json is written by Convert on the page Vocabulary, as {self.name}.json.\n"
            "from tokenizers import Tokenizer\n\n"
            f'encoding = Tokenizer.from_file("{self.name}.json")\n'
            "encoding.encode_special_tokens = True  # as the text that they are\n"
        )
        return PythonProgram(
            setup, "encoding.encode(text).ids", "encoding.decode(ids, skip_special_tokens=False)"
        )

    def _prove(self, format_name: str) -> None:
        self.export(FILE_FORMATS[format_name])


def export_model(entry: FileFormat, model: BpeModel, name: str) -> Export:
    """Return what `TrainedTokenizer.export_here` returns, for a worker. Raises CannotHoldError.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> list(export_model(FILE_FORMATS["tiktoken"], BpeModel(SplitPattern.named("gpt2"), ()), "mine").files)
    ['mine.tiktoken']
    """
    return TrainedTokenizer(name, model).export_here(entry)


#: SHA-256 of the content of `python_docs_4k.tiktoken.gz`.
PYTHON_DOCS_HASH = "171a54c0988f5f689dae7b9d9c099cf302e0f81f44e66a624f7dc24205b06f57"


@cache
def load_python_docs() -> TrainedTokenizer:
    """Load 4,096 tokens with cl100k's pattern, learned from Python 3.11's documentation.

    Raises VocabularyFileError. `scripts/train_bundled.py` makes the file again.

    >>> python_docs = load_python_docs()
    >>> [python_docs.vocabulary.raw_of(token_id) for token_id in python_docs.encode(" tokenization")]
    [b' to', b'ke', b'n', b'ization']
    """
    name = "python_docs_4k"
    file_name = f"{name}.tiktoken"
    data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, PYTHON_DOCS_HASH, source="the trained one")
    model = read_model({file_name: data}, SplitPattern.named("cl100k"))
    return TrainedTokenizer(name, model, opening=f'gzip.open("assets/vocabularies/{file_name}.gz", "rt")')
