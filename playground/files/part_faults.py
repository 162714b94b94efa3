"""Which part of a tokenizer.json `tokenizers` refuses, and what it would take there.

It is asked only of a file that the library has refused whole: the library itself names a line and a column of
JSON, or a type of its own code.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from playground.core.errors import InvalidInputError
from playground.files.checks import shown
from playground.files.proof import library_errors, versioned

_NOTHING: dict[str, Any] = {
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
    "pre_tokenizer": None, "post_processor": None, "decoder": None,
    "model": {"type": "BPE", "vocab": {}, "merges": []},
}  # fmt: skip
#: Where a part that is a sequence of its kind has its items.
_ITEMS = {
    "normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "post_processor": "processors",
    "decoder": "decoders",
}  # fmt: skip
#: What makes parts of a kind whose maker wants something.
_GIVEN: dict[str, tuple[object, ...]] = {
    "Replace": ("a", "b"), "Split": (" ", "isolated"), "CharDelimiterSplit": (" ",),
    "BertProcessing": (("</s>", 1), ("<s>", 0)), "RobertaProcessing": (("</s>", 1), ("<s>", 0)),
    "TemplateProcessing": ("<s> $A", None, [("<s>", 0)]), "Sequence": ([],),
}  # fmt: skip


def find_fault(document: Mapping[str, Any]) -> str:
    """The first part that the library refuses, with what it takes there; "" where it takes each by itself.

    >>> find_fault({"normalizer": {"type": "NFC"}, "version": "2.0"}).partition(" (")[0]
    'version: its version is 2.0; 1.0 is known'
    """
    unknown = [key for key in document if key not in _NOTHING]
    if unknown:
        return f"the key {shown(unknown[0])} is not known; valid are {', '.join(_NOTHING)}"
    for name in _NOTHING:
        if name in document and name != "model":
            told = _fault_of(name, document[name], name)
            if told:
                return told
    model = document.get("model")
    kinds = [*_kinds_of("model")]
    if isinstance(model, dict) and model.get("type", "BPE") not in kinds:
        return f"model, type, is {shown(model['type'])}; valid are {', '.join(kinds)}"
    return _fault_of_merges(model) if isinstance(model, dict) else ""


def _fault_of_merges(model: Mapping[str, Any]) -> str:
    """The first merge that makes no token; "" where each makes one, and where the library tells the fault.

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
    told = _refusal(name, part)
    if not told:
        return ""
    for number, item in enumerate(_items(name, part), start=1):
        inner = _fault_of(name, [item] if name == "added_tokens" else item, f"{place}, item {number}")
        if inner:
            return inner
    kinds = _kinds_of(name)
    if not kinds or "untagged enum" not in told:
        return f"{place}: {told}"
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        what = (
            f", type, is {shown(kind)}" if isinstance(part, dict) and "type" in part else f" is {shown(part)}"
        )
        return (
            f"{place}{what}; valid is null, or an object whose type {versioned('tokenizers')} knows: "
            f"{', '.join(sorted(kinds))}"
        )
    return f"{place} is no {kind}: {shown(part)}; valid is, for example, {_example(kinds[kind], kind)}"


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
    except InvalidInputError as error:  # where it stands here is not where it stands in the file
        return re.sub(r" at line \d+ column \d+", "", str(error))
    return ""


def _kinds_of(name: str) -> dict[str, Any]:
    """The library's own classes of a kind of part, by the type that a file has for them."""
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


def _example(made: Any, kind: str) -> str:
    """A part of this kind as the library writes it."""
    if kind == "Precompiled":  # it has no empty table
        return '{"type":"Precompiled","precompiled_charsmap":"…"}'
    example = made(*_GIVEN.get(kind, ()))
    return str(example.__getstate__().decode())
