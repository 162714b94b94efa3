"""Where a tokenizer.json lets a text be cut and encoded in pieces.

`cuts_of` and `pair_cut_of` are for files whose steps are known; other files are encoded whole.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from playground.bpe.safe_cuts import CUTS_LIKE, PairCut, pair_cut
from playground.files.bert_of_llama import is_made_here
from playground.files.charsmap import charsmap_of, space_rules
from playground.files.checks import text_or_empty
from playground.files.tokenizers_library import HUGGING_FACE_PATTERNS, read_pairs

#: Patterns with known safe cuts.
_SAFE_PATTERNS = {expression: name for name, expression in HUGGING_FACE_PATTERNS.items()} | CUTS_LIKE
#: Cuts as BERT does: at white space and around each punctuation mark.
BERT = "bert"
#: Cuts at every space, which belongs to the word after it or to none.
AT_SPACES, BEHIND_SPACES = "at spaces", "behind spaces"
#: Normalizers that change each character by itself, or marks together with their letter.
_LOCAL = frozenset({"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "BertNormalizer"})
#: Options with which an added token is found only in some places, or includes white space around it.
_OF_PLACE = ("lstrip", "rstrip", "single_word")
#: Llama 2's normalizers.
_TO_SIGN = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
_SIGN_BEFORE = {"type": "Prepend", "prepend": "\u2581"}


def cuts_of(document: Mapping[str, Any]) -> str:
    """Return the split pattern whose safe cuts are safe for the file, BERT, AT_SPACES or BEHIND_SPACES.

    "" stands for none.
    """
    has_ordinary = any(not entry.get("special") for entry in document.get("added_tokens") or [])
    return ("" if has_ordinary else cuts_outside_added(document)) or _cuts_at_spaces(document)


def cuts_outside_added(document: Mapping[str, Any]) -> str:
    """Return the split pattern that cuts a text between its added tokens, or BERT; "" for neither.

    Added tokens must have no options that depend on their place.
    """
    for entry in document.get("added_tokens") or []:
        if any(map(entry.get, _OF_PLACE)):
            return ""
    steps = document.get("pre_tokenizer")
    if is_made_here(document) and document["model"].get("type") == "WordPiece":
        return BERT
    match document.get("normalizer"), steps, document["model"].get("type"):
        case (
            {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True},
            {"type": "BertPreTokenizer"},
            "WordPiece",
        ):
            is_found_first = not any(entry.get("normalized") for entry in document.get("added_tokens") or [])
            return BERT if is_found_first else ""
    if document.get("normalizer"):
        # No safe cut is before a mark, and form C changes nothing across the others.
        is_found_first = not any(entry.get("normalized") for entry in document.get("added_tokens") or [])
        if document["normalizer"] != {"type": "NFC"} or not is_found_first:
            return ""
    match steps:
        case {"type": "Sequence", "pretokenizers": [first, second]}:
            split, byte_level = first, second
        case _:
            split, byte_level = None, steps
    if not (isinstance(byte_level, dict) and byte_level.get("type") == "ByteLevel"):
        return ""
    if byte_level.get("add_prefix_space", True):
        return ""
    match split, byte_level.get("use_regex", True):
        case None, True:
            return "gpt2"
        case {"type": "Split", "pattern": {"Regex": str(expression)}, "behavior": "Isolated"}, False:
            return "" if split.get("invert") else _SAFE_PATTERNS.get(expression, "")
    return ""


def _cuts_at_spaces(document: Mapping[str, Any]) -> str:
    """Return AT_SPACES or BEHIND_SPACES if a text may be cut there whatever surrounds it; "" otherwise.

    The model gets one pretoken after the other, so the tokens of two pieces are those of the whole if the
    pieces are normalized and cut into pretokens as the whole is:

    - No normalizer looks across a single space between two visible characters or drops these
      (`safe_cuts.space_cut`): a normal form composes nothing with a space before it, rules of a map
      (`charsmap.space_rules`) and texts to replace contain no space, and one space is not a run. Steps that
      work on the ends of a text are excluded.
    - One step ends a pretoken at each space, so steps before it do not matter and steps after it get words.
      The rest of a text begins with its space where the step adds one to a text that lacks it.
    - Every character has a token; otherwise the length of a token would depend on what follows the cut.
    - No added token contains white space.
    """
    model = document["model"]
    for entry in document.get("added_tokens") or []:
        content = unicodedata.normalize("NFKD", entry["content"])
        if any(map(entry.get, _OF_PLACE)):
            return ""
        if any(map(str.isspace, content)) or "\u2581" in content or not content.isprintable():
            return ""
    if not all(map(_is_local, iter_parts(document.get("normalizer")))):
        return ""
    steps = [part for part in iter_parts(document.get("pre_tokenizer")) if part.get("type") != "Sequence"]
    kinds = [_kind_of_step(part) for part in steps]
    first = next((kind for kind in kinds if kind in (AT_SPACES, BEHIND_SPACES)), "")
    if not first or "" in kinds:
        return ""
    has_bytes = any(part.get("type") == "ByteLevel" for part in steps) or bool(model.get("byte_fallback"))
    knows_all = has_bytes or model.get("unk_token") or isinstance(model.get("unk_id"), int)
    is_of_text_start = any(part.get("prepend_scheme") == "first" for part in steps)
    return first if knows_all and not (is_of_text_start and first == BEHIND_SPACES) else ""


def pair_cut_of(document: Mapping[str, Any]) -> PairCut | None:
    """Return where a file like Llama 2's lets a text be cut: at places that no merge crosses.

    - The only normalizing is that spaces become U+2581 and one is put before the text, which has no effect
      behind `PairCut.before`; and nothing cuts the text into pretokens.
    - Every character has a token or its bytes have, so none is unknown together with its neighbours, and
      bytes merge with nothing.
    - Only special tokens are found in the text, independently of what surrounds them; after one, a new text
      begins.
    """
    model = document["model"]
    if not (model.get("type", "BPE") == "BPE" and model.get("byte_fallback") is True):
        return None
    others = ("ignore_merges", "continuing_subword_prefix", "end_of_word_suffix")
    of_bytes = {f"<0x{byte:02X}>" for byte in range(256)}
    if any(map(model.get, others)) or not of_bytes <= model["vocab"].keys():
        return None
    for entry in document.get("added_tokens") or []:
        if not entry.get("special") or any(map(entry.get, [*_OF_PLACE, "normalized"])):
            return None
    steps = [part for part in iter_parts(document.get("normalizer")) if part.get("type") != "Sequence"]
    if _TO_SIGN not in steps or any(part not in (_TO_SIGN, _SIGN_BEFORE) for part in steps):
        return None
    written = model.get("merges")
    if not isinstance(written, list) or not all(isinstance(merge, str | list) for merge in written):
        return None
    merges, _options = read_pairs(model)
    if not all(len(merge) == 2 and all(isinstance(half, str) and half for half in merge) for merge in merges):
        return None  # the library reports the fault
    if document.get("pre_tokenizer") or not of_bytes.isdisjoint(chain.from_iterable(merges)):
        return None
    return pair_cut({(left[-1], right[0]) for left, right in merges})


def _is_local(part: Mapping[str, Any]) -> bool:
    """Whether a normalizer works the same on both sides of a space, whatever the other side is."""
    match part:
        case {"type": "Sequence"}:
            return True
        case {"type": "Precompiled"}:
            return not space_rules(charsmap_of(part.get("precompiled_charsmap"))).crosses_space
        case {"type": "Replace", "pattern": {"Regex": " {2,}" | r"\s+"}, "content": " "}:
            return True
        case {"type": "Replace", "pattern": {"String": str(pattern)}, "content": str(content)}:
            return bool(pattern and content) and not any(map(str.isspace, pattern + content))
    return text_or_empty(part.get("type")) in _LOCAL


def _kind_of_step(part: Mapping[str, Any]) -> str:
    """Return where a pre-tokenizer cuts: AT_SPACES, BEHIND_SPACES, "inside" words; "" if unknown."""
    match part:
        case {"type": "Metaspace"}:
            return AT_SPACES if part.get("split", True) is True else ""
        case {"type": "ByteLevel"}:
            return AT_SPACES if part.get("use_regex", True) is True else "inside"
        case {"type": "Whitespace" | "WhitespaceSplit" | "BertPreTokenizer"}:
            return BEHIND_SPACES
        case {"type": "Digits" | "Punctuation"}:
            return "" if part.get("behavior") == "Removed" else "inside"
    return ""


def iter_parts(part: object) -> Iterator[Mapping[str, Any]]:
    """Yield a part and all parts of its sequences, at any depth."""
    if isinstance(part, dict):
        yield part
        for name in ("normalizers", "pretokenizers", "processors", "decoders"):
            yield from iter_parts(part.get(name))
    elif isinstance(part, list):
        for inner in part:
            yield from iter_parts(inner)
