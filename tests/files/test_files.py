"""Every export gives the same ids in its library, on difficult texts."""

import json
import random
from typing import Any

import pytest
import tokenizers

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.errors import CannotHoldError
from playground.files.registry import FILE_FORMATS, read_model
from playground.files.tiktoken_ranks import tiktoken_snippet, write_tiktoken
from playground.training.algorithms.bpe import BpeLearner
from playground.training.pretoken_counts import count_pretokens

SPECIAL = ("<|endoftext|>", "<|x|>")
HARD = [
    "", "Hello world", "  two  spaces \n\n\tx  ", " \n", " \n  ", "a\r\n\r\nb", "don't DON'T I'LL we'ſ",
    "1234567 ٣٣٣٣ ½", "안녕하세요 नमस्ते 🇩🇪👩‍👩‍👧 é", "a/b//\n/c\n", "trailing   ",
    "HTMLParser camelCase ABCdef ǅabc",
    "\u00a0x\u2003y\x85z", "...\n\n???", "aaaaaaaaaaaaa",
]  # fmt: skip
TRICKY = "aZéÉſǅʰ中ا1٣½ \t\n\r\u00a0\u2003'!/_-\u0301🙂sStTlLeErRvVdDmM\x85"


@pytest.fixture(scope="module", params=["none", "gpt2", "o200k"])
def model(request, corpora):
    pattern = SplitPattern.named(request.param)
    trainer = BpeLearner(
        count_pretokens([corpora["english"][:100_000], corpora["languages"][:100_000]], pattern),
        vocab_size=1500,
    )
    trainer.advance()
    merges = tuple((left, right, new) for left, right, new in trainer.columns()[:, :3].tolist())
    return BpeModel(pattern, merges).with_special_tokens(SPECIAL)


@pytest.fixture(scope="module")
def expected(model):
    rng = random.Random(1)
    texts = HARD + ["".join(rng.choices(TRICKY, k=12)) for _ in range(500)]
    rule = model.merge_rule()
    return {
        text: [
            token_id
            for pretoken, _ in iter_pretokens(text, model.pattern)
            for token_id in rule.build(pretoken.encode()).ids
        ]
        for text in texts
    }


@pytest.mark.parametrize("name", FILE_FORMATS)
def test_written_files_are_read_back_unchanged(name, model):
    files = FILE_FORMATS[name].write(model, "mine")
    back = read_model({file: text.encode() for file, text in files.items()}, model.pattern)
    assert (back.merges, back.byte_ids, back.pattern) == (model.merges, model.byte_ids, model.pattern)
    if name != "tiktoken":  # ranks hold no special tokens
        assert dict(back.special_tokens) == dict(model.special_tokens)


def test_tokenizers_loads_tokenizer_json(model, expected):
    loaded = tokenizers.Tokenizer.from_str(FILE_FORMATS["tokenizer.json"].write(model, "mine")["mine.json"])
    assert {text: loaded.encode(text).ids for text in expected} == expected
    special_id = model.special_tokens["<|endoftext|>"]
    assert loaded.encode("<|endoftext|>").ids == [special_id]


def test_tiktoken_loads_ranks_with_the_snippet(model, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file, text in write_tiktoken(model, "mine").items():
        (tmp_path / file).write_text(text)
    names: dict[str, Any] = {}
    exec(tiktoken_snippet(model, "mine"), names)
    encoding = names["encoding"]
    assert {text: encoding.encode_ordinary(text) for text in expected} == expected
    special_id = model.special_tokens["<|x|>"]
    assert encoding.encode("<|x|>", allowed_special="all") == [special_id]


def test_tokenizers_loads_the_two_files_of_gpt2(model, expected, tmp_path):
    for file, text in FILE_FORMATS["gpt2"].write(model, "mine").items():
        (tmp_path / file).write_text(text)
    bpe = tokenizers.models.BPE.from_file(
        str(tmp_path / "mine.encoder.json"), str(tmp_path / "mine.vocab.bpe")
    )
    loaded = tokenizers.Tokenizer(bpe)
    whole = json.loads(FILE_FORMATS["tokenizer.json"].write(model, "mine")["mine.json"])
    reference = tokenizers.Tokenizer.from_str(json.dumps(whole))
    loaded.pre_tokenizer = reference.pre_tokenizer
    assert {text: loaded.encode(text).ids for text in expected} == expected


def load_as_minbpe(text):
    """Load like minbpe's own `load`, line by line; its `split()` allows no space in a special token."""
    lines = iter(text.splitlines())
    assert next(lines) == "minbpe v1"
    pattern = next(lines).strip()
    special = dict(next(lines).strip().split() for _ in range(int(next(lines))))
    merges = {}
    for idx, line in enumerate(lines, start=256):
        idx1, idx2 = map(int, line.split())
        merges[idx1, idx2] = idx
    return pattern, special, merges


def test_minbpe_model_reads_as_minbpe_reads_it(model):
    files = FILE_FORMATS["minbpe"].write(model, "mine")
    pattern, special, merges = load_as_minbpe(files["mine.model"])
    assert pattern == model.pattern.expression
    assert {token: int(token_id) for token, token_id in special.items()} == model.special_tokens
    assert [(*pair, new_id) for pair, new_id in merges.items()] == list(model.merges)
    assert files["mine.vocab"].splitlines()[97] == "[a] 97"
    assert " -> [" in files["mine.vocab"].splitlines()[256]


def test_duplicate_spellings_are_refused_in_formats_that_cannot_distinguish_them():
    model = BpeModel(
        SplitPattern.named("none"), ((97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 259))
    )
    assert list(model.misfits())
    for name in ("tiktoken", "tokenizer.json", "gpt2"):
        with pytest.raises(CannotHoldError, match=r"\.model"):
            FILE_FORMATS[name].write(model, "mine")
    assert read_model(
        {"mine.model": FILE_FORMATS["minbpe"].write(model, "mine")["mine.model"].encode()}, model.pattern
    )
