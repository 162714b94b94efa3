"""Convert any tokenizer to another library's files, proven by that library, or say why it is impossible.

The formats are in `files.registry`.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from playground.bpe.model import BpeModel, merges_and_whole
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.baselines import ByteTokenizer
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.opened import OpenedModel, tokenizer_of
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.catalog.trained import TrainedTokenizer
from playground.core.building import Pretoken
from playground.core.errors import CannotHoldError, VocabularyFileError
from playground.core.tokenizer import Tokenizer
from playground.files.checks import Files
from playground.files.proof import Export, prove
from playground.files.registry import FILE_FORMATS, FileFormat
from playground.files.tiktoken_ranks import load_ranks, ranks_text, tiktoken_snippet
from playground.files.tokenizer_json import read_split

#: Limits of writing and proving one file; o200k_base's tokenizer.json takes 12 s.
SECONDS, MEMORY_BYTES = 90.0, 2_000_000_000


def convert(tokenizer: Tokenizer, format_name: str) -> Export:
    """Return the files and the proof that their library gives the tokenizer's ids. Raises CannotHoldError.

    >>> export = convert(ByteTokenizer(), "minbpe")
    >>> list(export.files), export.proof.library
    (['utf8_bytes.model', 'utf8_bytes.vocab'], 'minbpe, by the rule of its code')
    """
    entry = FILE_FORMATS[format_name]
    reason = why_no_bytes_merge(tokenizer)
    if reason:
        raise CannotHoldError(reason)
    match tokenizer:
        case TrainedTokenizer():
            return _convert_trained(tokenizer, entry)
        case ByteTokenizer():
            model = BpeModel(SplitPattern.named("none"), ())
            return _convert_trained(TrainedTokenizer(tokenizer.name, model), entry)
        case NormalizedTokenizer(base=RankedTokenizer() as ranked):
            if format_name != "tokenizer.json":
                raise CannotHoldError(
                    f"{tokenizer.name} normalizes a text to NFC before it cuts it, and files for "
                    f"{entry.library} have no place for that"
                )
            return _convert_ranked(tokenizer, ranked, entry, _with_nfc)
        case RankedTokenizer():
            return _convert_ranked(tokenizer, tokenizer, entry)
        case TokenizerJsonFile():
            return _convert_opened(tokenizer, entry)
    raise CannotHoldError(f"{tokenizer.name} is no byte-pair encoding whose merges are known")


def convert_named(name: str, model: OpenedModel | None, format_name: str) -> Export | str:
    """Convert by name in a worker process; return the reason if it is impossible.

    `model` is a visitor's own tokenizer, None for one of the catalog.

    >>> convert_named("gpt2", None, "minbpe")
    "a .model file numbers bytes 0 to 255 and merges from 256 on; this tokenizer's ids differ"
    """
    try:
        return convert(get_tokenizer(name) if model is None else tokenizer_of(name, model), format_name)
    except CannotHoldError as error:
        return str(error)


def why_no_bytes_merge(tokenizer: Tokenizer) -> str:
    """Say why no file format can hold a tokenizer; "" if it merges bytes.

    >>> from playground.catalog.registry import get_tokenizer
    >>> why_no_bytes_merge(get_tokenizer("gpt2")), why_no_bytes_merge(get_tokenizer("characters"))
    ('', 'characters does not merge bytes, and these files hold nothing else')
    """
    match tokenizer:
        case TrainedTokenizer() | RankedTokenizer() | ByteTokenizer():
            return ""
        case NormalizedTokenizer(base=RankedTokenizer()):
            return ""
        case TokenizerJsonFile() if tokenizer.is_byte_level_bpe:
            return ""
    what = "merges characters" if tokenizer.merges is not None else "does not merge bytes"
    return f"{tokenizer.name} {what}, and these files hold {_HELD[what]}"


_HELD = {"merges characters": "merges of bytes", "does not merge bytes": "nothing else"}


def _convert_trained(tokenizer: TrainedTokenizer, entry: FileFormat) -> Export:
    return replace(tokenizer.export_here(entry), program=_program(tokenizer.model, tokenizer.name, entry))


def _program(model: BpeModel, name: str, entry: FileFormat) -> str:
    """Return the Python that loads a file of ranks with its split pattern; "" for other files."""
    return tiktoken_snippet(model, name) if entry is FILE_FORMATS["tiktoken"] else ""


def _convert_ranks(
    tokenizer: Tokenizer,
    model: BpeModel,
    ranks: Mapping[bytes, int],
    entry: FileFormat,
    cut: Callable[[str], Iterable[Pretoken]],
    finish: Callable[[Files], Files] = lambda files: files,
) -> Export:
    """Write a table of ranks; every format except tiktoken's needs the merges behind it.

    `model` has the split pattern and the special tokens.
    """
    if entry is FILE_FORMATS["tiktoken"]:
        files = {f"{tokenizer.name}.tiktoken": ranks_text(ranks)}
        load = partial(load_ranks, ranks, model.pattern, model.special_tokens)
    else:
        _need_own_ids(model.special_tokens, entry)
        merges, whole = merges_and_whole(ranks)
        byte_ids = tuple([ranks[bytes([byte])] for byte in range(256)])
        model = BpeModel(model.pattern, merges, model.special_tokens, byte_ids, whole)
        files = finish(entry.write(model, tokenizer.name))
        load = partial(entry.load, files, model)
    encode = partial(tokenizer.encode, allowed_special=frozenset(tokenizer.special_tokens))
    proof = prove(encode, load, model, cut=lambda text: [part.text for part in cut(text)])
    return Export(files, proof, _program(model, tokenizer.name, entry))


def _need_own_ids(special_tokens: Mapping[str, int], entry: FileFormat) -> None:
    """Raise CannotHoldError if two special tokens share an id, as in gpt-oss's vocabulary."""
    name_of: dict[int, str] = {}
    for name, token_id in special_tokens.items():
        other = name_of.setdefault(token_id, name)
        if other != name:
            raise CannotHoldError(
                f"its special tokens {other} and {name} have one id, {token_id}, and files for "
                f"{entry.library} have one token for each id"
            )


def _convert_ranked(
    tokenizer: Tokenizer,
    ranked: RankedTokenizer,
    entry: FileFormat,
    finish: Callable[[Files], Files] = lambda files: files,
) -> Export:
    model = BpeModel(SplitPattern.of(ranked.split_pattern), (), tokenizer.special_tokens)
    return _convert_ranks(tokenizer, model, ranked.mergeable_ranks, entry, ranked.iter_pretokens, finish)


def _convert_opened(tokenizer: TokenizerJsonFile, entry: FileFormat) -> Export:
    """Convert a tokenizer.json that its library runs, as a table of ranks if the proof holds."""
    if entry is FILE_FORMATS["tokenizer.json"]:
        raise CannotHoldError("it was opened from a tokenizer.json: that file is the one to use")
    document = json.loads(tokenizer.model.raw.decode("utf-8-sig"))
    if document.get("normalizer"):
        raise CannotHoldError(
            f"its file normalizes a text first, and files for {entry.library} have no place for that"
        )
    try:
        pattern = read_split(document["pre_tokenizer"], f"{tokenizer.name}.json")
    except VocabularyFileError as error:
        raise CannotHoldError(f"its split cannot be held: {error}") from None
    added = {**tokenizer.special_tokens, **tokenizer.added_tokens}
    entries = map(tokenizer.vocabulary.entry, tokenizer.vocabulary.ids.tolist())
    ranks = {token.raw: token.id for token in entries if token.id not in set(added.values())}
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise CannotHoldError(f"it has no token for {len(missing)} bytes, such as 0x{missing[0]:02X}")
    return _convert_ranks(tokenizer, BpeModel(pattern, (), added), ranks, entry, tokenizer.iter_pretokens)


def _with_nfc(files: Files) -> Files:
    """Add NFC normalizing to a tokenizer.json."""
    ((file_name, text),) = files.items()
    document = {**json.loads(text), "normalizer": {"type": "NFC"}}
    return {file_name: json.dumps(document, ensure_ascii=False, indent=1)}
