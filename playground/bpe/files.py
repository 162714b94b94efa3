"""Files of a tokenizer that other tools load: written and read.

`FORMATS` is the table; each entry writes one or more files, and reads them back.
"""

import base64
import binascii
import json
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playground.bpe.gpt2_bytes import from_gpt2_characters, to_gpt2_characters
from playground.bpe.model import BpeModel, recovered_merges
from playground.bpe.pretokenize import SPLIT_PATTERNS
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, VocabularyFileError

Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to keep a tokenizer. `write(model, name)` gives file names and their text."""

    title: str
    endings: tuple[str, ...]
    write: Callable[[BpeModel, str], Files]
    read: Callable[[Files, SplitPattern], BpeModel]


#: The patterns as Hugging Face's regex engine (Oniguruma) reads them: there `{1,3}+` repeats a repeat and
#: `$` stands at each line's end. Equal on the texts of tests/bpe/test_files.py.
HUGGING_FACE_PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z"
        r"|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": SPLIT_PATTERNS["o200k"],
    "llama3": SPLIT_PATTERNS["llama3"],
}


def write_minbpe(model: BpeModel, name: str) -> Files:
    """karpathy/minbpe's `.model`, which it loads, and `.vocab`, which people read."""
    _need_bytes_first(model, ".model")
    if "\n" in model.pattern.expression or model.pattern.expression != model.pattern.expression.strip():
        raise InvalidInputError(
            "a .model file holds the split pattern on one line, without space around it; this does not fit"
        )
    lines = ["minbpe v1", model.pattern.expression, str(len(model.special_tokens))]
    lines += [f"{token} {token_id}" for token, token_id in model.special_tokens.items()]
    lines += [f"{left} {right}" for left, right, _ in model.merges]
    return {f"{name}.model": "\n".join(lines) + "\n", f"{name}.vocab": _vocab_text(model)}


def read_minbpe(files: Files, _pattern: SplitPattern) -> BpeModel:
    """Read a `.model`; special tokens may hold spaces. Raises VocabularyFileError."""
    file_name, text = _only(files, ".model")
    lines = text.split("\n")
    line_number = 1
    try:
        if lines[0].strip() != "minbpe v1":
            raise ValueError(f"the first line is {lines[0][:40]!r}, not 'minbpe v1'")
        pattern = SplitPattern.typed(lines[1].strip())
        line_number = 3
        n_special = int(lines[2])
        special_tokens = {}
        for line_number, line in enumerate(lines[3 : 3 + n_special], start=4):  # noqa: B007
            token, _, token_id = line.rpartition(" ")
            special_tokens[token] = int(token_id)
        merges: list[tuple[int, int, int]] = []
        for line_number, line in enumerate(lines[3 + n_special :], start=4 + n_special):  # noqa: B007
            if line.strip():
                left, right = map(int, line.split())
                new_id = 256 + len(merges)
                if not (0 <= left < new_id and 0 <= right < new_id):
                    raise ValueError(f"ids {left} and {right} are not both below {new_id}")
                merges.append((left, right, new_id))
    except (ValueError, IndexError) as error:
        raise VocabularyFileError(
            f"{file_name}, line {line_number}, is not a minbpe model: {error}"
        ) from None
    return BpeModel(pattern, tuple(merges), special_tokens)


def write_tiktoken(model: BpeModel, name: str) -> Files:
    """tiktoken's ranks: base64 of the bytes, a space, the rank, a line each."""
    for token_id in model.misfits():
        raw = model.token_bytes()[token_id]
        raise InvalidInputError(
            f"a .tiktoken file cannot hold token {token_id} ({raw!r}): ranks alone would merge it "
            "elsewhere too; choose .model or tokenizer.json"
        )
    ranks = sorted(model.mergeable_ranks().items(), key=lambda item: item[1])
    lines = (f"{base64.b64encode(raw).decode()} {rank}\n" for raw, rank in ranks)
    return {f"{name}.tiktoken": "".join(lines)}


def read_tiktoken(files: Files, pattern: SplitPattern) -> BpeModel:
    """Read ranks and recover the merges; the file holds no split pattern. Raises VocabularyFileError."""
    file_name, text = _only(files, ".tiktoken")
    ranks: dict[bytes, int] = {}
    for line_number, line in enumerate(text.splitlines(), start=1):
        try:
            if line.strip():
                token, rank = line.split()
                ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error) as error:
            raise VocabularyFileError(
                f"{file_name}, line {line_number}, is not base64, a space and a rank: {error}"
            ) from None
    byte_ids = _byte_ids(ranks, file_name)
    try:
        return BpeModel(pattern, recovered_merges(ranks), {}, byte_ids)
    except InvalidInputError as error:
        raise VocabularyFileError(f"{file_name}: {error}") from None


def write_tokenizer_json(model: BpeModel, name: str) -> Files:
    """Hugging Face's `tokenizer.json`, which `tokenizers` and `transformers` load."""
    split = [] if model.pattern.is_none else [
        {
            "type": "Split",
            "pattern": {"Regex": HUGGING_FACE_PATTERNS.get(model.pattern.name, model.pattern.expression)},
            "behavior": "Isolated",
            "invert": False,
        }
    ]  # fmt: skip
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    vocab, merges = _gpt2_vocab(model)
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token_id, "content": token, **added} for token, token_id in model.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*split, byte_level]},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocab,
            "merges": merges,
        },
    }
    return {f"{name}.json": json.dumps(document, ensure_ascii=False, indent=1)}


def read_tokenizer_json(files: Files, _pattern: SplitPattern) -> BpeModel:
    """Read a byte-level BPE `tokenizer.json`. Raises VocabularyFileError."""
    file_name, text = _only(files, ".json")
    try:
        document = json.loads(text)
        if document["model"]["type"] != "BPE":
            raise VocabularyFileError(
                f"{file_name} holds a {document['model']['type']} model; only byte-level BPE can be read here"
            )
        special = {token["content"]: int(token["id"]) for token in document.get("added_tokens") or []}
        pattern = _pattern_of(document.get("pre_tokenizer"), file_name)
        pairs = [
            tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair)
            for pair in document["model"]["merges"]
        ]
        return _model_of(document["model"]["vocab"], pairs, pattern, special, file_name)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VocabularyFileError(
            f"{file_name} is not a Hugging Face tokenizer.json of byte-level BPE: {error!r}"
        ) from None


def write_gpt2(model: BpeModel, name: str) -> Files:
    """GPT-2's two files: `encoder.json` (token to id) and `vocab.bpe` (the merges)."""
    vocab, merges = _gpt2_vocab(model)
    merge_lines = "".join(f"{left} {right}\n" for left, right in merges)
    encoder = json.dumps(vocab | dict(model.special_tokens))
    return {f"{name}.encoder.json": encoder, f"{name}.vocab.bpe": "#version: 0.2\n" + merge_lines}


def read_gpt2(files: Files, pattern: SplitPattern) -> BpeModel:
    """Read `encoder.json` with `vocab.bpe`; they hold no split pattern. Raises VocabularyFileError."""
    encoder_name, encoder = _only(files, "encoder.json")
    bpe_name, bpe = _only(files, "vocab.bpe")
    try:
        vocab = {str(token): int(token_id) for token, token_id in json.loads(encoder).items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise VocabularyFileError(f"{encoder_name} is not a JSON table of tokens: {error}") from None
    lines = [line for line in bpe.split("\n") if line and not line.startswith("#version")]
    pairs = [tuple(line.split(" ")) for line in lines]
    spelled = {"".join(pair) for pair in pairs} | {to_gpt2_characters(bytes([byte])) for byte in range(256)}
    special = {token: token_id for token, token_id in vocab.items() if token not in spelled}
    return _model_of(vocab, pairs, pattern, special, bpe_name)


#: Every format by its name.
FORMATS: dict[str, Format] = {
    "minbpe": Format("minbpe (.model and .vocab)", (".model",), write_minbpe, read_minbpe),
    "tiktoken": Format("tiktoken ranks (.tiktoken)", (".tiktoken",), write_tiktoken, read_tiktoken),
    "tokenizer.json": Format(
        "Hugging Face (tokenizer.json)", (".json",), write_tokenizer_json, read_tokenizer_json
    ),
    "gpt2": Format(
        "GPT-2 (encoder.json and vocab.bpe)", ("encoder.json", "vocab.bpe"), write_gpt2, read_gpt2
    ),
}


def format_of(file_name: str) -> Format:
    """The format that a file name's ending chooses. Raises InvalidInputError.

    >>> format_of("mine.tiktoken").title
    'tiktoken ranks (.tiktoken)'
    """
    if file_name.endswith(FORMATS["gpt2"].endings):
        return FORMATS["gpt2"]
    for known in FORMATS.values():
        if file_name.endswith(known.endings):
            return known
    endings = ", ".join(ending for known in FORMATS.values() for ending in known.endings)
    raise InvalidInputError(f"no tokenizer format is called {file_name!r}; names end in {endings}")


def read_model(files: Mapping[str, bytes], pattern: SplitPattern) -> BpeModel:
    """Read a tokenizer from its file or files; `pattern` is used where a format holds none.

    Raises: VocabularyFileError, InvalidInputError.
    """
    texts: Files = {}
    for file_name, raw in files.items():
        if file_name.endswith(".vocab"):
            continue  # minbpe writes it for people; it cannot be read back
        try:
            texts[file_name] = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise VocabularyFileError(
                f"{file_name} is not UTF-8 text: byte 0x{raw[error.start]:02X} at position {error.start:,}"
            ) from None
    formats = {format_of(file_name).title: format_of(file_name) for file_name in texts}
    if len(formats) != 1:
        raise InvalidInputError("choose the files of one tokenizer: one file, or encoder.json with vocab.bpe")
    return next(iter(formats.values())).read(texts, pattern)


def tiktoken_snippet(model: BpeModel, name: str) -> str:
    """Python that loads the `.tiktoken` file with the real library."""
    return tiktoken_program(model, name, f'open("{name}.tiktoken")') + 'print(encoding.encode("Hello world"))'


def tiktoken_program(model: BpeModel, name: str, opening: str) -> str:
    """Python that builds the real library's `encoding` from a file of ranks; `opening` opens the file."""
    expression = model.pattern.expression or r"(?s:.+)"
    return "\n".join(
        [
            *(["import gzip"] if opening.startswith("gzip.") else []),
            "import base64",
            "import tiktoken",
            "",
            "# Not load_tiktoken_bpe: it keeps a copy of the first file of this name and never looks again.",
            f"with {opening} as file:",
            "    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, file)}",
            "encoding = tiktoken.Encoding(",
            f"    name={name!r},",
            f"    pat_str={expression!r},",
            "    mergeable_ranks=ranks,",
            f"    special_tokens={dict(model.special_tokens)!r},",
            ")",
            "",
        ]
    )


def _need_bytes_first(model: BpeModel, ending: str) -> None:
    in_order = all(new_id == 256 + rank for rank, (_, _, new_id) in enumerate(model.merges))
    if model.byte_ids != tuple(range(256)) or not in_order:
        raise InvalidInputError(
            f"a {ending} file numbers bytes 0 to 255 and merges from 256 on; this tokenizer's ids differ"
        )


def _vocab_text(model: BpeModel) -> str:
    raw_of = model.token_bytes()
    lines = [f"[{_printable(raw_of[byte])}] {byte}" for byte in range(256)]
    for left, right, new_id in model.merges:
        sides = f"[{_printable(raw_of[left])}][{_printable(raw_of[right])}]"
        lines.append(f"{sides} -> [{_printable(raw_of[new_id])}] {new_id}")
    lines += [f"[{token}] {token_id}" for token, token_id in model.special_tokens.items()]
    return "\n".join(lines) + "\n"


def _printable(raw: bytes) -> str:
    text = raw.decode(errors="replace")
    return "".join(c if unicodedata.category(c)[0] != "C" else f"\\u{ord(c):04x}" for c in text)


def _gpt2_vocab(model: BpeModel) -> tuple[dict[str, int], list[list[str]]]:
    raw_of = model.token_bytes()
    vocab: dict[str, int] = {}
    for token_id, raw in sorted(raw_of.items()):
        spelled = to_gpt2_characters(raw)
        if spelled in vocab:
            raise InvalidInputError(
                f"tokens {vocab[spelled]} and {token_id} both spell {raw!r}; this format holds only one "
                "of them: choose .model, or train with the tie rule hugging-face"
            )
        vocab[spelled] = token_id
    pairs = [
        [to_gpt2_characters(raw_of[left]), to_gpt2_characters(raw_of[right])]
        for left, right, _ in model.merges
    ]
    return vocab, pairs


def _model_of(
    vocab: Mapping[str, int],
    pairs: list[tuple[Any, ...]],
    pattern: SplitPattern,
    special_tokens: Mapping[str, int],
    file_name: str,
) -> BpeModel:
    try:
        ids = {from_gpt2_characters(t): int(i) for t, i in vocab.items() if t not in special_tokens}
        merges = tuple((vocab[left], vocab[right], vocab[left + right]) for left, right in pairs)
    except (KeyError, ValueError) as error:
        raise VocabularyFileError(
            f"{file_name} is not byte-level BPE: {error} is not in its vocabulary or not one of "
            "GPT-2's characters"
        ) from None
    return BpeModel(pattern, merges, dict(special_tokens), _byte_ids(ids, file_name))


def _byte_ids(ranks: Mapping[bytes, int], file_name: str) -> tuple[int, ...]:
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise VocabularyFileError(
            f"{file_name} has no token for byte 0x{missing[0]:02X}; a byte-level tokenizer has all 256"
        )
    return tuple(ranks[bytes([byte])] for byte in range(256))


def _pattern_of(pre_tokenizer: Any, file_name: str) -> SplitPattern:
    steps = [] if pre_tokenizer is None else pre_tokenizer.get("pretokenizers", [pre_tokenizer])
    expression = ""
    for step in steps:
        if step["type"] == "Split" and "Regex" in step["pattern"] and not step.get("invert"):
            expression = step["pattern"]["Regex"]
        elif step["type"] == "ByteLevel":
            if step.get("use_regex", True):
                return SplitPattern.named("gpt2")
        else:
            raise VocabularyFileError(
                f"{file_name} splits with {step['type']!r}; only a Split by a regular expression and "
                "ByteLevel can be read here"
            )
    for name, known in HUGGING_FACE_PATTERNS.items():
        if expression == known:
            return SplitPattern.named(name)
    return SplitPattern.typed(expression)


def _only(files: Files, ending: str) -> tuple[str, str]:
    found = [(name, text) for name, text in files.items() if name.endswith(ending)]
    if len(found) != 1:
        raise VocabularyFileError(f"expected one file that ends in {ending}, not {len(found)}")
    return found[0]
