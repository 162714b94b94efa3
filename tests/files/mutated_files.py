"""Mutated tokenizer files, and a check that uses whatever is read."""

import contextlib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import strategies as st

from playground.analysis.live_document import LiveDocument
from playground.analysis.vocabulary_index import TokenQuery, first_merges, parents_of, vocabulary_index
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError, UnknownTokenError, VocabularyFileError
from playground.core.tokenizer import segment
from playground.files.registry import FILE_FORMATS, read_model
from tests.mutations import mutate

TEXT = "the cat sat on the mat, the cat that sat there; don't DON'T 12345\r\n  é語🙂 <|end|><x>"
_WORDS = "the cat sat on the mat, the cat that sat there; bananas and 12345 é語🙂\n\n  x"

#: Lines of such files.
LINES = [b"=", b"YQ== 0\n", b"97 98\n"]
#: What a mutated value may become.
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    1e308,
    2**31,
    10**30,
    "",
    "a",
    "\ud800",
    "Ġ",
    "<x>",
    [],
    {},
]
VALUES += [["a", "b"], {"a": 1}, "Sequence", "ByteLevel", [None], "NFC", "Removed", r"\p{L}+", "(", "a b"]


@cache
def real_files() -> dict[str, list[dict[str, bytes]]]:
    """Return files of each format, of models with known, typed and no pattern."""
    files: dict[str, list[dict[str, bytes]]] = {name: [] for name in FILE_FORMATS}
    for expression, special in (("gpt2", ("<|end|>",)), (r"[a-z]+|[^a-z]", ("<|end|>", "<x>")), ("none", ())):
        model = small_model(SplitPattern.parse(expression), special)
        for name, entry in FILE_FORMATS.items():
            written = entry.write(model, "x").items()
            files[name].append({file: text.encode() for file, text in written if not file.endswith(".vocab")})
    return files


def small_model(pattern: SplitPattern, special_tokens: tuple[str, ...] = ()) -> BpeModel:
    """Return a model of 40 merges, learned by the lecture's code."""
    from playground.bpe import lecture
    from playground.bpe.split_pattern import iter_pretokens

    pretokens = [pretoken.encode() for pretoken, _ in iter_pretokens(_WORDS, pattern)]
    merges = lecture.train(pretokens, 40)
    triples = tuple((left, right, new_id) for (left, right), new_id in merges.items())
    return BpeModel(pattern, triples).with_special_tokens(special_tokens)


@st.composite
def mutated_files(draw: st.DrawFn) -> dict[str, bytes]:
    """Draw the files of one tokenizer, changed in one to four places."""
    name = draw(st.sampled_from(list(FILE_FORMATS)))
    files = dict(draw(st.sampled_from(real_files()[name])))
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3, 4]))):
        file = draw(st.sampled_from(list(files)))
        if file.endswith(".json") and draw(st.booleans()):
            files[file] = _mutate_json(draw, files[file])
        else:
            files[file] = mutate(draw, files[file], LINES)
    return files


def _mutate_json(draw: st.DrawFn, raw: bytes) -> bytes:
    try:
        document = json.loads(raw)
    except ValueError:
        return raw
    places = list(_iter_places(document))
    if not places:
        return raw
    parent, key = draw(st.sampled_from(places))
    match draw(st.sampled_from(["replace", "swap", "delete", "add", "rename"])):
        case "replace":
            parent[key] = draw(st.sampled_from(VALUES))
        case "swap":
            other, other_key = draw(st.sampled_from(places))
            parent[key], other[other_key] = other[other_key], parent[key]
        case "delete":
            del parent[key]
        case "add" if isinstance(parent, dict):
            parent[draw(st.sampled_from(["", "a", "Ġ", "id", "type", "extra"]))] = draw(
                st.sampled_from(VALUES)
            )
        case "rename" if isinstance(parent, dict):
            parent[draw(st.sampled_from(["", "aa", "th", "語", "extra"]))] = parent.pop(key)
        case _:
            parent.insert(0, draw(st.sampled_from(VALUES))) if isinstance(parent, list) else None
    try:
        return json.dumps(document, ensure_ascii=draw(st.booleans())).encode()
    except (ValueError, UnicodeEncodeError):  # a part that holds itself, half a surrogate pair
        return raw


def _iter_places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each `(object or list, key)`; long tables only at their ends."""
    keys = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else []
    for key in [*keys[:3], *keys[-3:]] if len(keys) > 12 else keys:
        yield part, key
        yield from _iter_places(part[key])


def read_and_use(files: dict[str, bytes]) -> bool:
    """Read files and use the tokenizer like the pages do; return False if they are refused."""
    try:
        model = read_model(files, SplitPattern.named("gpt2"))
    except (VocabularyFileError, InvalidInputError):
        return False
    use(model)
    return True


def use(model: BpeModel) -> None:
    """Encode, decode, look at the vocabulary and export again."""
    tokenizer = TrainedTokenizer("fuzzed", model)
    every_special = frozenset(tokenizer.special_tokens)
    for allowed in (frozenset[str](), every_special):
        ids = tokenizer.encode(TEXT, allowed_special=allowed)
        assert tokenizer.decode(ids) == TEXT
        assert (
            "".join(segment.text for segment in segment(tokenizer, TEXT, allowed_special=allowed).segments)
            == TEXT
        )
    raw_of = model.token_bytes()
    assert all(tokenizer.vocabulary.raw_of(token_id) == raw for token_id, raw in raw_of.items())
    assert all(
        tokenizer.vocabulary.raw_of(token_id) == token.encode()
        for token, token_id in model.special_tokens.items()
    )
    for token_id in {max([*raw_of, *model.special_tokens.values()]) + 1, 300, -1} - raw_of.keys():
        if token_id not in model.special_tokens.values():
            with pytest.raises(UnknownTokenError):
                tokenizer.vocabulary.raw_of(token_id)
    index = vocabulary_index(tokenizer)
    index.search(TokenQuery(text="a"))
    first_merges(index, tokenizer.merges, 5)
    parents_of(index, tokenizer.merges, model.byte_ids[97])
    document = LiveDocument(tokenizer, TEXT, honours_special=True)
    document.edit(3, 5, "<x>")
    for entry in FILE_FORMATS.values():
        with contextlib.suppress(CannotHoldError):
            tokenizer.export(entry)
