"""Mutations of real tokenizer files, and a use of whatever is read: `python -m tests.files.fuzz 20000`."""

import contextlib
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.analysis.live_document import LiveDocument
from playground.analysis.vocabulary.cache import vocabulary_index
from playground.analysis.vocabulary.merges import first_merges, parents_of
from playground.analysis.vocabulary.query import TokenQuery
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError, UnknownTokenError, VocabularyFileError
from playground.core.tokenizer import segment
from playground.files.table import FILE_FORMATS, read_model

TEXT = "the cat sat on the mat, the cat that sat there; don't DON'T 12345\r\n  é語🙂 <|end|><x>"
_WORDS = "the cat sat on the mat, the cat that sat there; bananas and 12345 é語🙂\n\n  x"

#: What a mutated number, value or piece of text may become.
NUMBERS = [
    "-1",
    "0",
    "255",
    "256",
    "1e400",
    "1.5",
    "true",
    str(2**31 - 1),
    str(2**31),
    str(2**32 - 1),
    str(2**40),
]
NUMBERS += [str(10**30), "9" * 5000, "1_0", "٣", "+5", " 7", "NaN", ""]
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
PIECES = [
    b"\xff",
    b"\xef\xbb\xbf",
    b"\0",
    b"\n",
    b"\r",
    b" ",
    b"=",
    b'"',
    b"{",
    b"[",
    b"]",
    b",",
    b"YQ== 0\n",
    b"97 98\n",
]


@cache
def real_files() -> dict[str, list[dict[str, bytes]]]:
    """Files of each format, of models with known, typed and no pattern."""
    files: dict[str, list[dict[str, bytes]]] = {name: [] for name in FILE_FORMATS}
    for expression, special in (("gpt2", ("<|end|>",)), (r"[a-z]+|[^a-z]", ("<|end|>", "<x>")), ("none", ())):
        model = small_model(SplitPattern.parse(expression), special)
        for name, entry in FILE_FORMATS.items():
            written = entry.write(model, "x").items()
            files[name].append({file: text.encode() for file, text in written if not file.endswith(".vocab")})
    return files


def small_model(pattern: SplitPattern, special_tokens: tuple[str, ...] = ()) -> BpeModel:
    """A model of 40 merges, learned by the lecture's code."""
    from playground.bpe import lecture
    from playground.bpe.split_pattern import iter_pretokens

    pretokens = [pretoken.encode() for pretoken, _ in iter_pretokens(_WORDS, pattern)]
    merges = lecture.train(pretokens, 40)
    triples = tuple((left, right, new_id) for (left, right), new_id in merges.items())
    return BpeModel(pattern, triples).with_special_tokens(special_tokens)


@st.composite
def mutated_files(draw: st.DrawFn) -> dict[str, bytes]:
    """The files of one tokenizer, changed in one to four places."""
    name = draw(st.sampled_from(list(FILE_FORMATS)))
    files = dict(draw(st.sampled_from(real_files()[name])))
    for _ in range(draw(st.integers(1, 4))):
        file = draw(st.sampled_from(list(files)))
        if file.endswith(".json") and draw(st.booleans()):
            files[file] = _mutate_json(draw, files[file])
        else:
            files[file] = draw(st.sampled_from([_mutate_bytes, _mutate_line, _mutate_number]))(
                draw, files[file]
            )
    return files


def _mutate_bytes(draw: st.DrawFn, raw: bytes) -> bytes:
    start = draw(st.integers(0, len(raw)))
    end = min(len(raw), start + draw(st.sampled_from([0, 1, 1, 2, 10, 1000])))
    match draw(st.sampled_from(["flip", "delete", "double", "insert", "truncate"])):
        case "flip" if start < len(raw):
            return raw[:start] + bytes([raw[start] ^ 1 << draw(st.integers(0, 7))]) + raw[start + 1 :]
        case "delete":
            return raw[:start] + raw[end:]
        case "double":
            return raw[:end] + raw[start:]
        case "insert":
            return raw[:start] + draw(st.sampled_from(PIECES)) + raw[start:]
        case _:
            return raw[:start]


def _mutate_line(draw: st.DrawFn, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    first, second = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    match draw(st.sampled_from(["delete", "double", "swap", "move"])):
        case "delete":
            del lines[first]
        case "double":
            lines.insert(second, lines[first])
        case "swap":
            lines[first], lines[second] = lines[second], lines[first]
        case _:
            lines.insert(second, lines.pop(first))
    return b"\n".join(lines)


def _mutate_number(draw: st.DrawFn, raw: bytes) -> bytes:
    found = list(re.finditer(rb"\d+", raw))
    if not found:
        return raw
    match = draw(st.sampled_from(found))
    others = st.sampled_from(found).map(lambda other: other.group())
    number = draw(
        others | st.sampled_from(NUMBERS).map(str.encode) | st.integers(0, 400).map(lambda n: b"%d" % n)
    )
    return raw[: match.start()] + number + raw[match.end() :]


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
    """Read files and do with the tokenizer whatever a page does; False where they are refused."""
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


def main(n_cases: int) -> None:
    """Try so many mutations, with random cases drawn anew."""
    n_accepted = 0

    @given(files=mutated_files())
    @settings(max_examples=n_cases, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    def try_one(files: dict[str, bytes]) -> None:
        nonlocal n_accepted
        n_accepted += read_and_use(files)

    try_one()
    print(f"{n_cases:,} mutations, {n_accepted:,} accepted and used")


if __name__ == "__main__":
    main(int(sys.argv[1]))
