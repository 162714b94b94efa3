"""The table of tokenizer files that other tools load, each written, proven and read back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from playground.bpe.model import BpeModel, ReadFrom
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.core.wording import quoted
from playground.files.checks import Files, check_count, read_text
from playground.files.gpt2 import load_gpt2, read_gpt2, write_gpt2
from playground.files.limits import MAX_FILE_BYTES
from playground.files.minbpe import load_minbpe, read_minbpe, write_minbpe
from playground.files.proof import Encode, Export, Loaded, prove
from playground.files.tekken import is_tekken, read_tekken
from playground.files.tiktoken_ranks import load_tiktoken, read_tiktoken, write_tiktoken
from playground.files.tokenizer_json import load_tokenizer_json, read_tokenizer_json, write_tokenizer_json


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of tokenizer files.

    `write(model, name)` returns file names and texts; `load(files, model)` gives them to `library`, with what
    the files cannot hold taken from the model. `holds_pattern` and `holds_special_tokens` say whether the
    files contain a split pattern and special tokens.
    """

    title: str
    library: str
    endings: tuple[str, ...]
    write: Callable[[BpeModel, str], Files]
    load: Callable[[Files, BpeModel], Loaded]
    read: Callable[[Files, SplitPattern | None], BpeModel]
    holds_pattern: bool = True
    holds_special_tokens: bool = True


#: Every format by its name.
FILE_FORMATS: dict[str, FileFormat] = {
    "minbpe": FileFormat(
        "minbpe (.model and .vocab)", "minbpe", (".model",), write_minbpe, load_minbpe, read_minbpe
    ),
    "tiktoken": FileFormat(
        "tiktoken ranks (.tiktoken)",
        "tiktoken",
        (".tiktoken",),
        write_tiktoken,
        load_tiktoken,
        read_tiktoken,
        holds_pattern=False,
        holds_special_tokens=False,
    ),
    "tokenizer.json": FileFormat(
        "Hugging Face (tokenizer.json)",
        "Hugging Face tokenizers and transformers",
        (".json",),
        write_tokenizer_json,
        load_tokenizer_json,
        read_tokenizer_json,
    ),
    "gpt2": FileFormat(
        "GPT-2 (encoder.json and vocab.bpe)",
        "GPT-2's own code and Hugging Face tokenizers",
        ("encoder.json", "vocab.bpe"),
        write_gpt2,
        load_gpt2,
        read_gpt2,
        holds_pattern=False,
    ),
}

#: minbpe writes this file for people; it cannot be read back and is skipped.
FOR_PEOPLE = ".vocab"


def format_of(file_name: str) -> FileFormat:
    """Return the format of a file name's ending. Raises InvalidInputError.

    >>> format_of("mine.tiktoken").title
    'tiktoken ranks (.tiktoken)'
    """
    if file_name.endswith(FILE_FORMATS["gpt2"].endings):
        return FILE_FORMATS["gpt2"]
    for known in FILE_FORMATS.values():
        if file_name.endswith(known.endings):
            return known
    endings = ", ".join(ending for known in FILE_FORMATS.values() for ending in known.endings)
    raise InvalidInputError(
        f"no tokenizer format is called {quoted(file_name)}; names end in {endings}, and of files "
        "that are only read in .gguf, merges.txt, vocab.txt or .spm"
    )


def export(entry: FileFormat, model: BpeModel, name: str, encode: Encode) -> Export:
    """Write a tokenizer for other tools, and prove that they give the ids of `encode`.

    `encode` recognizes all special tokens. Raises: CannotHoldError if the files cannot hold the tokenizer, or
    the library does not load them or gives other ids.

    >>> bytes_alone = BpeModel(SplitPattern.named("gpt2"), ())
    >>> export(FILE_FORMATS["tiktoken"], bytes_alone, "bytes", lambda text: list(text.encode())).proof.caveat
    ''
    """
    files = entry.write(model, name)
    return Export(files, prove(encode, partial(entry.load, files, model), model))


def read_model(files: Mapping[str, bytes], pattern: SplitPattern | None) -> BpeModel:
    """Read a tokenizer from its files; `pattern` is used if the format contains none.

    Without one, published ranks have their own, and GPT-2's format has GPT-2's, as in its library.

    Raises: VocabularyFileError, NeedsPatternError among them, and InvalidInputError.
    """
    texts: Files = {}
    for file_name, raw in files.items():
        if file_name.endswith(FOR_PEOPLE):
            continue
        if file_name.endswith("merges.txt"):
            raise InvalidInputError(f"{file_name} goes with vocab.json: choose both at once")
        if not is_tekken(file_name):
            format_of(file_name)
        check_count(len(raw), "bytes", MAX_FILE_BYTES, file_name)
        texts[file_name] = read_text(raw, file_name)
    if any(map(is_tekken, texts)):
        return replace(read_tekken(texts), read_from=ReadFrom("tekken", tuple(texts)))
    known = {name for name, entry in FILE_FORMATS.items() for found in texts if format_of(found) is entry}
    if len(known) != 1:
        raise InvalidInputError("choose the files of one tokenizer: one file, or encoder.json with vocab.bpe")
    (name,) = known
    return replace(FILE_FORMATS[name].read(texts, pattern), read_from=ReadFrom(name, tuple(texts)))
