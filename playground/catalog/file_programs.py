"""Python that loads an opened byte-level BPE file with the library of its format.

Files that a library runs have their programs in their tokenizers' modules.
"""

from collections.abc import Callable, Mapping

from playground.bpe.model import BpeModel, ReadFrom
from playground.catalog.tiktoken_encoding import TIKTOKEN_EXPRESSIONS
from playground.core.errors import CannotHoldError
from playground.core.tokenizer import PythonProgram, python_literal
from playground.files.tiktoken_ranks import tiktoken_program
from playground.files.tokenizers_library import split_expression

_DECODED_BY_TOKENIZERS = "encoding.decode(ids, skip_special_tokens=False)"

_READ_MINBPE = """
with open({name}, encoding="utf-8") as file:
    _, pattern, n_special, *lines = map(str.rstrip, file)
pattern = pattern.strip() or "(?s:.+)"
special_tokens = {{name: int(id) for name, id in (line.rsplit(" ", 1) for line in lines[:int(n_special)])}}
pairs = [tuple(map(int, line.split())) for line in lines[int(n_special):] if line]
token_bytes = [bytes([byte]) for byte in range(256)]
for left, right in pairs:
    token_bytes.append(token_bytes[left] + token_bytes[right])
"""
_MINBPE_AS_RANKS = """encoding = tiktoken.Encoding(
    name="opened",
    pat_str=pattern,
    mergeable_ranks={raw: rank for rank, raw in enumerate(token_bytes)},
    special_tokens=special_tokens,
)
"""
#: minbpe's own rule, for models to which a table of ranks would give other ids.
_MINBPE_BY_PAIR = """merges = {pair: 256 + rank for rank, pair in enumerate(pairs)}
raw_of = dict(enumerate(token_bytes)) | {id: name.encode() for name, id in special_tokens.items()}

def encode(text):
    ids = []
    for match in regex.finditer(pattern, text):
        part = list(match.group().encode())
        while known := [pair for pair in zip(part, part[1:]) if pair in merges]:
            pair, joined = min(known, key=merges.get), []
            for id in part:
                if joined and (joined[-1], id) == pair:
                    joined[-1] = merges[pair]
                else:
                    joined.append(id)
            part = joined
        ids += part
    return ids

"""
_TEKKEN = """import base64
import json
import tiktoken

with open({name}, encoding="utf-8-sig") as file:
    tekken = json.load(file)
n_special = tekken["config"]["default_num_special_tokens"]
ranked = tekken["vocab"][:tekken["config"]["default_vocab_size"] - n_special]
special_tokens = {special}
for id in set(range(n_special)) - set(special_tokens.values()):
    special_tokens[f"<SPECIAL_{{id}}>"] = id
encoding = tiktoken.Encoding(
    name="opened",
    pat_str=tekken["config"]["pattern"],
    mergeable_ranks={{base64.b64decode(token["token_bytes"]): n_special + token["rank"] for token in ranked}},
    special_tokens=special_tokens,
)
"""


def file_program(
    model: BpeModel,
    read_from: ReadFrom,
    added: Mapping[str, int],
    *,
    prove: Callable[[str], object],
) -> PythonProgram:
    """Return the program that reads a model's own files.

    `added` are special tokens that exist only beside the files. `prove` raises CannotHoldError if a format's
    library would give other ids; it is called for tiktoken and minbpe, whose programs do not load the files
    as they are. Raises CannotHoldError if no program gives the ids.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> model = BpeModel(SplitPattern.named("gpt2"), ())
    >>> made = file_program(model, ReadFrom("tokenizer.json", ("mine.json",)), {}, prove=print)
    >>> made.setup.splitlines()[0]
    '# "mine.json" is the file that was opened.'
    """
    names = [python_literal(name) for name in read_from.file_names]
    opened = f"# {' and '.join(names)} {'are the files' if names[1:] else 'is the file'} that was opened.\n"
    match read_from.format_name:
        case "tokenizer.json":
            return _of_tokenizer_json(opened, names[0], added)
        case "gpt2":
            return _of_two_files(opened.replace("was", "were"), names, model, added)
        case "tekken":
            prove("tiktoken")
            named = {
                name: token_id
                for name, token_id in model.special_tokens.items()
                if name != _unnamed(token_id)
            }
            lines = _TEKKEN.format(name=names[0], special=repr(named))
            return PythonProgram(opened + lines, *TIKTOKEN_EXPRESSIONS)
        case "tiktoken":
            prove("tiktoken")
            lines = tiktoken_program(model, "opened", f'open({names[0]}, encoding="utf-8-sig")')
            return PythonProgram(opened + lines, *TIKTOKEN_EXPRESSIONS)
        case "minbpe":
            return _of_minbpe(opened, names[0], added, prove)
    raise CannotHoldError(f"no program is known that reads files of {read_from.format_name}")


def _of_tokenizer_json(opened: str, name: str, added: Mapping[str, int]) -> PythonProgram:
    """Return the program for a tokenizer.json in `tokenizers`, with a decoder in case the file has none."""
    setup = (
        f"{opened}from tokenizers import Tokenizer, decoders\n\n"
        f"encoding = Tokenizer.from_file({name})\n"
        "encoding.decoder = decoders.ByteLevel()\n"
    )
    as_text = "encoding.encode_special_tokens = True  # as the text that they are\n"
    encode = "encoding.encode(text, add_special_tokens=False).ids"
    if added:
        return PythonProgram(setup + as_text, encode, _DECODED_BY_TOKENIZERS, added=_by_id(added))
    with_special = PythonProgram(setup, encode, _DECODED_BY_TOKENIZERS)
    return PythonProgram(setup + as_text, encode, _DECODED_BY_TOKENIZERS, with_special=with_special)


def _of_two_files(opened: str, names: list[str], model: BpeModel, added: Mapping[str, int]) -> PythonProgram:
    """Return the program for GPT-2's two files in `tokenizers`.

    tiktoken's own reader accepts only files with GPT-2's ids.
    """
    vocab, merges = sorted(names, key=lambda name: not name.endswith('.json"'))
    split = f'    pre_tokenizers.Split(Regex({split_expression(model.pattern)!r}), "isolated"),\n'
    setup = (
        f"{opened}from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers\n\n"
        f"encoding = Tokenizer(models.BPE.from_file({vocab}, {merges}))\n"
        "encoding.pre_tokenizer = pre_tokenizers.Sequence([\n"
        f"{'' if model.pattern.is_none else split}"
        "    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),\n"
        "])\n"
        "encoding.decoder = decoders.ByteLevel()\n"
    )
    return PythonProgram(setup, "encoding.encode(text).ids", _DECODED_BY_TOKENIZERS, added=_by_id(added))


def _of_minbpe(
    opened: str, name: str, added: Mapping[str, int], prove: Callable[[str], object]
) -> PythonProgram:
    """Return the program for a minbpe file, as ranks in tiktoken or by minbpe's rule."""
    lines = _READ_MINBPE.format(name=name)
    if added:
        lines += f"special_tokens |= {dict(added)!r}  # from the tokenizer_config.json beside it\n"
    try:
        prove("tiktoken")
    except CannotHoldError:
        prove("minbpe")
        decode = 'b"".join(map(raw_of.get, ids)).decode(errors="replace")'
        return PythonProgram(f"{opened}import regex\n{lines}{_MINBPE_BY_PAIR}", "encode(text)", decode)
    return PythonProgram(f"{opened}import tiktoken\n{lines}{_MINBPE_AS_RANKS}", *TIKTOKEN_EXPRESSIONS)


def _by_id(added: Mapping[str, int]) -> dict[int, str]:
    return {token_id: name for name, token_id in added.items()}


def _unnamed(token_id: int) -> str:
    """Return the name of a special token that a tekken.json does not name."""
    return f"<SPECIAL_{token_id}>"
