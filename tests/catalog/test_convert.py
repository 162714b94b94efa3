"""Converted files give the same ids in their library, or a sentence says why that is impossible."""

import base64
import json
import unicodedata
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.baselines import ByteTokenizer
from playground.catalog.convert import convert, convert_named, why_no_bytes_merge
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.catalog.tiktoken_encoding import LazyEncoding
from playground.core.errors import CannotHoldError
from playground.core.tokenizer import PythonProgram
from playground.files.proof import Export
from playground.files.registry import FILE_FORMATS, read_model
from tests.catalog import tokenizer_documents
from tests.catalog.kinds import PUBLISHED_PATTERNS, trained_by_pair, trained_by_rank

UDHR = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())
TEXTS = [entry["articles"][0] for entry in UDHR] + ["e\u0301 🙂 don't <|end|> x\r\n\n", "ﬁ ½ 12345 \ufeff"]
#: A split pattern that nobody has a name for, as open models have one.
PATTERN = PUBLISHED_PATTERNS["qwen3"][0]


def ranked(first_id: int = 0) -> RankedTokenizer:
    """Return a tokenizer whose ids are ranks from a start value, with its own pattern and special tokens."""
    ranks = {raw: rank + first_id for raw, rank in trained_by_rank().mergeable_ranks.items()}
    encoding = LazyEncoding(
        "open", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={"<|end|>": 900, "<|pad|>": 901}
    )
    return RankedTokenizer(encoding, first_id=first_id, cuts_like="cl100k")


def normalized() -> NormalizedTokenizer:
    def nfc(text: str) -> str:
        return unicodedata.normalize("NFC", text)

    return NormalizedTokenizer(ranked(), nfc, PythonProgram("", "", ""))


def in_tiktoken(export: Export, special_tokens: Any, pattern: str) -> Any:
    (text,) = export.files.values()
    rows = [line.split() for line in text.splitlines()]
    encoding = tiktoken.Encoding(
        "file", pat_str=pattern, special_tokens=dict(special_tokens),
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in rows},
    )  # fmt: skip
    return lambda text: encoding.encode(text, disallowed_special=())


def in_tokenizers(export: Export) -> Any:
    (text,) = export.files.values()
    library: Any = tokenizers.Tokenizer.from_str(text)
    library.encode_special_tokens = True
    return lambda text: library.encode(text).ids


@pytest.mark.parametrize("first_id", [0, 3])
def test_ranks_of_any_pattern_are_equal_in_tiktoken_and_in_tokenizers(first_id, tmp_path, monkeypatch):
    tokenizer = ranked(first_id)
    for_tiktoken = convert(tokenizer, "tiktoken")
    library = in_tiktoken(for_tiktoken, tokenizer.special_tokens, PATTERN)
    other = in_tokenizers(convert(tokenizer, "tokenizer.json"))
    for text in TEXTS:
        assert list(tokenizer.encode(text)) == library(text) == other(text)
    assert for_tiktoken.proof.sentence.startswith("Equal in tiktoken ")
    monkeypatch.chdir(tmp_path)
    for name, text in for_tiktoken.files.items():
        Path(name).write_text(text)
    made: dict[str, Any] = {}
    exec(for_tiktoken.program, made)
    assert all(made["encoding"].encode_ordinary(text) == list(tokenizer.encode(text)) for text in TEXTS)
    assert for_tiktoken.proof.caveat == "", "characters of a newer Unicode are cut alike, too"


def test_a_normalizer_can_only_be_written_to_a_tokenizer_json():
    tokenizer = normalized()
    library = in_tokenizers(convert(tokenizer, "tokenizer.json"))
    assert tokenizer.encode("e\u0301") != ranked().encode("e\u0301")
    for text in TEXTS:
        assert list(tokenizer.encode(text)) == library(text)
    for target in FILE_FORMATS.keys() - {"tokenizer.json"}:
        with pytest.raises(
            CannotHoldError, match="normalizes a text to NFC before it cuts it, and files for"
        ):
            convert(tokenizer, target)


def test_gpt2_converts_to_tiktoken_and_not_to_minbpe():
    gpt2 = get_tokenizer("gpt2")
    export = convert(gpt2, "tiktoken")
    library = in_tiktoken(export, gpt2.special_tokens, SPLIT_PATTERNS["gpt2"])
    assert all(list(gpt2.encode(text)) == library(text) for text in TEXTS)
    assert "numbers bytes 0 to 255" in str(convert_named("gpt2", None, "minbpe"))
    files = {name: text.encode() for name, text in export.files.items()}
    assert read_model(files, SplitPattern.named("gpt2")).mergeable_ranks() == dict(gpt2.mergeable_ranks)  # type: ignore[attr-defined]


def test_byte_and_trained_tokenizers_convert_to_every_format_that_can_hold_them():
    for target in FILE_FORMATS:
        assert convert(ByteTokenizer(), target).proof.n_ids > 1_000
        if target != "tiktoken":
            continue
        assert "ranks alone would merge it" in str(convert_named("by-pair", trained_by_pair().model, target))
    model = BpeModel(SplitPattern.named("cl100k"), trained_by_rank().model.merges)
    export = convert_named("mine", model, "minbpe")
    assert isinstance(export, Export)
    assert list(export.files) == ["mine.model", "mine.vocab"]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            partial(get_tokenizer, "characters"),
            "characters does not merge bytes, and these files hold nothing else",
        ),
        (
            partial(get_tokenizer, "mistral_v1"),
            "mistral_v1 merges characters, and these files hold merges of bytes",
        ),
    ],
)
def test_a_tokenizer_without_byte_merges_is_refused_at_once(make, reason):
    tokenizer = make()
    assert why_no_bytes_merge(tokenizer) == reason
    for target in FILE_FORMATS:
        with pytest.raises(CannotHoldError, match=reason):
            convert(tokenizer, target)


def test_a_file_that_cannot_be_converted_names_the_part_that_prevents_it():
    opened = tokenizer_documents.opened("like RoBERTa")
    assert why_no_bytes_merge(opened) == ""
    said = str(convert_named("opened", opened.model, "tiktoken"))
    assert said == "its file normalizes a text first, and files for tiktoken have no place for that"
    assert "opened from a tokenizer.json" in str(convert_named("opened", opened.model, "tokenizer.json"))


def test_a_file_that_takes_words_whole_converts_to_a_table_of_ranks():
    """Its library runs a file like Llama 3's, and tiktoken's rule is the same."""
    opened = tokenizer_documents.opened("like Llama 3")
    export = convert(opened, "tiktoken")
    document = json.loads(tokenizer_documents.document("like Llama 3"))
    pattern = document["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    library = in_tiktoken(export, {}, pattern)
    assert all(list(opened.encode(text)) == library(text) for text in TEXTS)


def test_two_special_tokens_with_one_id_convert_to_tiktoken_only():
    ranks = ranked().mergeable_ranks
    twins = {"<|end|>": 900, "<|also|>": 900}
    tokenizer = RankedTokenizer(
        LazyEncoding("twins", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=twins),
        cuts_like="cl100k",
    )
    assert convert(tokenizer, "tiktoken").proof.n_ids > 1_000
    said = r"its special tokens <\|end\|> and <\|also\|> have one id, 900, and files for Hugging Face"
    with pytest.raises(CannotHoldError, match=said):
        convert(tokenizer, "tokenizer.json")
