"""Load our files in Hugging Face's `tokenizers`, and find the part of a tokenizer.json that it refuses.

The library is imported only when a file or a pattern needs it.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.bpe.character_merging import PairOptions
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern, iter_pretokens
from playground.core.errors import InvalidInputError, UnknownPartError
from playground.files.checks import shown, text_or_empty
from playground.files.proof import Loaded, library_errors, new_texts, proof_texts, versioned

if TYPE_CHECKING:
    from tokenizers import Tokenizer


#: The patterns for its regex engine, Oniguruma, in which `{1,3}+` repeats a repeat and `$` matches at each
#: line's end.
HUGGING_FACE_PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z"
        r"|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": SPLIT_PATTERNS["o200k"],
    "llama3": SPLIT_PATTERNS["llama3"],
}


_TEXT_OPTIONS = ("unk_token", "continuing_subword_prefix", "end_of_word_suffix")
_WORDPIECE_OPTIONS = ("unk_token", "max_input_chars_per_word", "continuing_subword_prefix")
_ADDED_OPTIONS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def split_expression(pattern: SplitPattern) -> str:
    """Return a split pattern in Oniguruma's syntax.

    >>> split_expression(SplitPattern.named("gpt2"))[-14:]
    '|\\\\s+(?!\\\\S)|\\\\s+'
    """
    return HUGGING_FACE_PATTERNS.get(pattern.name, pattern.expression)


def check_cuts(pattern: SplitPattern, place: str) -> None:
    """Raise UnknownPartError if Oniguruma cuts the test text differently than we do."""
    from tokenizers import Regex, pre_tokenizers

    library = versioned("tokenizers")
    try:
        with library_errors(library):
            split = pre_tokenizers.Split(Regex(pattern.expression), behavior="isolated")
            for text in [*proof_texts(), *new_texts()]:
                cuts = [part for part, _ in split.pre_tokenize_str(text)]
                if cuts != [part for part, _ in iter_pretokens(text, pattern)]:
                    raise UnknownPartError(
                        f"{place}: by the pattern {shown(pattern.expression)} {library} cuts {shown(text)} "
                        "otherwise than Python's regex, which would be used here"
                    )
    except InvalidInputError as error:
        raise UnknownPartError(f"{place}: {error}") from None


def load_document(text: str) -> Loaded:
    """Load a `tokenizer.json`. Raises CannotHoldError."""
    from tokenizers import Tokenizer

    library = versioned("tokenizers")
    with library_errors(library):
        loaded = Tokenizer.from_str(text)
    return _loaded(library, loaded)


def read_pairs(model: Mapping[str, Any]) -> tuple[list[tuple[str, str]], PairOptions]:
    """Return the merges of a file's BPE model and its options.

    Older files write a pair as a line with a space between the two tokens.
    """
    merges: list[Any] = [
        tuple(merge.split(" ") if isinstance(merge, str) else merge)
        for merge in model.get("merges") or []
        if not isinstance(merge, str) or not merge.startswith("#version")
    ]
    unknown = model.get("unk_token")  # of another type in a damaged file, which its library refuses
    return merges, PairOptions(
        continuing_subword_prefix=text_or_empty(model.get("continuing_subword_prefix")),
        end_of_word_suffix=text_or_empty(model.get("end_of_word_suffix")),
        unknown_id=model["vocab"].get(unknown) if isinstance(unknown, str) else None,
        fuse_unk=bool(model.get("fuse_unk")),
        byte_fallback=bool(model.get("byte_fallback")),
        ignore_merges=bool(model.get("ignore_merges")),
    )


def load_in_parts(
    document: Mapping[str, Any], merges: Sequence[tuple[str, str]], options: PairOptions
) -> "Tokenizer":
    """Return the library's tokenizer of a BPE file, letting other threads run meanwhile.

    Given a file's text, the library holds the interpreter for one call: 3.5 s for 262,000 tokens and 514,000
    merges. Here it gets the merges one by one, and the longest single call takes 0.3 s.
    """
    from tokenizers import models

    model = document["model"]
    loaded = models.BPE(
        model["vocab"],
        _Iterated(merges),
        **{name: model[name] for name in _TEXT_OPTIONS if model.get(name) is not None},
        fuse_unk=options.fuse_unk,
        byte_fallback=options.byte_fallback,
        ignore_merges=options.ignore_merges,
    )
    return _assembled(document, {**model, "vocab": {}, "merges": []}, loaded)


def load_wordpiece(document: Mapping[str, Any]) -> "Tokenizer":
    """Return the library's tokenizer of a WordPiece file in the same way.

    For 120,000 pieces the longest call takes 0.1 s instead of 0.23 s. Unigram files are loaded from their
    text, because the library parses scores slightly differently than Python.
    """
    from tokenizers import models

    model = document["model"]
    options = {name: model[name] for name in _WORDPIECE_OPTIONS if name in model}
    return _assembled(document, {**model, "vocab": {}}, models.WordPiece(model["vocab"], **options))


def _assembled(document: Mapping[str, Any], small_model: Mapping[str, Any], model: Any) -> "Tokenizer":
    """Return the tokenizer of a file with a given model; `small_model` is the file's without tokens."""
    from tokenizers import AddedToken, Tokenizer

    shell = {**document, "model": small_model}
    Tokenizer.from_str(json.dumps(shell))  # refuses a malformed file
    loaded: Any = Tokenizer.from_str(json.dumps({**shell, "added_tokens": []}))
    loaded.model = model
    loaded.add_tokens(
        [
            AddedToken(entry["content"], **{name: entry[name] for name in _ADDED_OPTIONS if name in entry})
            for entry in document.get("added_tokens") or []
        ]
    )
    return loaded  # type: ignore[no-any-return]


class _Iterated(Sequence[tuple[str, str]]):
    """Merges that are iterated in Python, so that other threads can run in between."""

    def __init__(self, merges: Sequence[tuple[str, str]]) -> None:
        self._merges = merges

    def __len__(self) -> int:
        return len(self._merges)

    def __getitem__(self, place: Any) -> Any:
        return self._merges[place]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for merge in self._merges:  # noqa: UP028 - `yield from` would stay in C
            yield merge


def cut_words(cutting: str, text: str) -> list[tuple[str, int, int, bool]]:
    """Return a text's pretokens by a file's `cutting`: word, start, end, and whether it is an added token.

    An added token is named as in the file; a text may spell it in letters that are normalized, or with
    white space beside it.
    """
    library, added = _cutter(cutting)
    with library_errors(versioned("tokenizers")):
        (found,) = library.encode_batch([text], add_special_tokens=False)
    words = zip(found.ids, found.tokens, found.offsets, strict=True)
    return [(added.get(token_id, word), *place, token_id in added) for token_id, word, place in words]


def try_cuts(cutting: str, texts: Sequence[str]) -> None:
    """Cut texts by a file's `cutting`, in a worker that ends if a pattern of it does not."""
    library: Any = _cutter(cutting)[0]
    with library_errors(versioned("tokenizers")):
        library.encode_batch_fast(texts, add_special_tokens=False)


@lru_cache(maxsize=8)
def _cutter(cutting: str) -> "tuple[Tokenizer, dict[int, str]]":
    """Return the library's tokenizer of a `cutting`, and its added tokens by their ids there."""
    library = load_library(cutting)
    added = library.get_added_tokens_decoder()
    return library, {token_id: token.content for token_id, token in added.items()}


def load_library(text: str) -> "Tokenizer":
    """Return the library's tokenizer of a file's text."""
    from tokenizers import Tokenizer

    return settled(Tokenizer.from_str(text))


def settled(library: Any) -> "Tokenizer":
    """Turn off truncation, padding and the frame around a text."""
    library.no_truncation()
    library.no_padding()
    library.post_processor = None  # it trims the spans of tokens
    library.encode_special_tokens = True
    return library  # type: ignore[no-any-return]


def load_two_files(
    encoder_json: str, vocab_bpe: str, pattern: SplitPattern, special_tokens: Mapping[str, int]
) -> Loaded:
    """Load GPT-2's two files, adding the split pattern and special tokens that they lack.

    Raises: CannotHoldError.
    """
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    library = versioned("tokenizers")
    with library_errors(library), tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("encoder.json", "vocab.bpe")]
        for path, text in zip(paths, (encoder_json, vocab_bpe), strict=True):
            path.write_text(text, encoding="utf-8", newline="")
        loaded = Tokenizer(models.BPE.from_file(*map(str, paths)))
        steps: list[Any] = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
        if not pattern.is_none:
            steps.insert(0, pre_tokenizers.Split(Regex(split_expression(pattern)), behavior="isolated"))
        loaded.pre_tokenizer = pre_tokenizers.Sequence(steps)
        loaded.add_special_tokens(list(special_tokens))
    return _loaded(library, loaded)


def _loaded(library: str, loaded: "Tokenizer") -> Loaded:
    def cut(text: str) -> list[str]:
        parts = loaded.pre_tokenizer.pre_tokenize_str(text)
        return [text[start:end] for _, (start, end) in parts]

    return Loaded(library, lambda text: loaded.encode(text).ids, cut)


#: A file without any part, in which single parts are tried.
_NOTHING: dict[str, Any] = {
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
    "pre_tokenizer": None, "post_processor": None, "decoder": None,
    "model": {"type": "BPE", "vocab": {}, "merges": []},
}  # fmt: skip
#: The key of a sequence's items, by kind of part.
_ITEMS = {
    "normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "post_processor": "processors",
    "decoder": "decoders",
}  # fmt: skip
#: Arguments for the classes of parts that require some.
_GIVEN: dict[str, tuple[object, ...]] = {
    "Replace": ("a", "b"), "Split": (" ", "isolated"), "CharDelimiterSplit": (" ",),
    "BertProcessing": (("</s>", 1), ("<s>", 0)), "RobertaProcessing": (("</s>", 1), ("<s>", 0)),
    "TemplateProcessing": ("<s> $A", None, [("<s>", 0)]), "Sequence": ([],),
}  # fmt: skip


def find_fault(document: Mapping[str, Any]) -> str:
    """Return the first part that the library refuses, with what is valid there; "" if none alone is.

    For files that the library has refused as a whole, with a line and column or a type of its own code.

    >>> find_fault({"normalizer": {"type": "NFC"}, "version": "2.0"}).partition(" (")[0]
    'version: its version is 2.0; 1.0 is known'
    """
    unknown = [key for key in document if key not in _NOTHING]
    if unknown:
        return f"the key {shown(unknown[0])} is not known; valid are {', '.join(_NOTHING)}"
    for name in _NOTHING:
        if name in document and name != "model":
            refusal = _fault_of(name, document[name], name)
            if refusal:
                return refusal
    model = document.get("model")
    kinds = [*kinds_of("model")]
    if isinstance(model, dict) and model.get("type", "BPE") not in kinds:
        return f"model, type, is {shown(model['type'])}; valid are {', '.join(kinds)}"
    return _fault_of_merges(model) if isinstance(model, dict) else ""


def _fault_of_merges(model: Mapping[str, Any]) -> str:
    """Return the first merge whose token is missing; "" if all exist or the library reports the fault.

    >>> _fault_of_merges({"vocab": {"a": 0, "b": 1}, "merges": ["a b"]})
    "its merges make the token 'ab', which its vocabulary lacks"
    """
    vocab, merges = model.get("vocab"), model.get("merges")
    if not isinstance(vocab, dict) or not isinstance(merges, list):
        return ""
    prefix = model.get("continuing_subword_prefix")
    n_prefix = len(prefix) if isinstance(prefix, str) else 0
    for merge in merges:
        match merge.split(" ") if isinstance(merge, str) else merge:
            case [str(left), str(right)] if left in vocab and right in vocab:
                if (made := left + right[n_prefix:]) not in vocab:
                    return f"its merges make the token {shown(made)}, which its vocabulary lacks"
            case _:
                return ""
    return ""


def _fault_of(name: str, part: object, place: str) -> str:
    refusal = _refusal(name, part)
    if not refusal:
        return ""
    for number, item in enumerate(_items(name, part), start=1):
        inner = _fault_of(name, [item] if name == "added_tokens" else item, f"{place}, item {number}")
        if inner:
            return inner
    kinds = kinds_of(name)
    if not kinds or "untagged enum" not in refusal:
        return f"{place}: {refusal}"
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        what = (
            f", type, is {shown(kind)}" if isinstance(part, dict) and "type" in part else f" is {shown(part)}"
        )
        return (
            f"{place}{what}; valid is null, or an object whose type {versioned('tokenizers')} knows: "
            f"{', '.join(sorted(kinds))}"
        )
    example = example_of(kinds[kind], kind)
    return f"{place} is not a valid {kind}: {shown(part)}; valid is, for example, {example}"


def _items(name: str, part: object) -> Iterator[object]:
    if name == "added_tokens":
        yield from part if isinstance(part, list) and len(part) > 1 else ()
    elif isinstance(part, dict) and part.get("type") == "Sequence":
        items = part.get(_ITEMS[name])
        yield from items if isinstance(items, list) else ()


def _refusal(name: str, part: object) -> str:
    from tokenizers import Tokenizer

    try:
        with library_errors(versioned("tokenizers")):
            Tokenizer.from_str(json.dumps({**_NOTHING, name: part}))
    except InvalidInputError as error:  # the position is in the document tried here
        return re.sub(r" at line \d+ column \d+", "", str(error))
    return ""


def kinds_of(name: str) -> dict[str, Any]:
    """Return the library's classes for a kind of part, by their type in files."""
    import tokenizers

    module, base = {
        "normalizer": (tokenizers.normalizers, "Normalizer"),
        "pre_tokenizer": (tokenizers.pre_tokenizers, "PreTokenizer"),
        "post_processor": (tokenizers.processors, "PostProcessor"),
        "decoder": (tokenizers.decoders, "Decoder"),
        "model": (tokenizers.models, "Model"),
    }.get(name, (None, ""))
    found = vars(module) if module else {}
    return {
        kind: made
        for kind, made in found.items()
        if isinstance(made, type) and issubclass(made, found[base]) and kind != base
    }


def example_of(made: Any, kind: str) -> str:
    """Return an example of a part as the library writes it."""
    if kind == "Precompiled":  # cannot be made without a table
        return '{"type":"Precompiled","precompiled_charsmap":"…"}'
    example = made(*_GIVEN.get(kind, ()))
    return str(example.__getstate__().decode())
