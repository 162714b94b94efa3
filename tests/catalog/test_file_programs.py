"""The code for an opened file reads that file with the public library, and gives the same ids."""

import json
import subprocess
import sys
from functools import cache

import pytest

from playground.analysis.shown_tokens import decoding_snippet, python_snippet
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.kept_file import read_kept, write_file, write_kept
from playground.catalog.opened import model_of, open_files, tokenizer_of
from playground.files.registry import FILE_FORMATS
from tests.catalog import sentencepiece_models, tokenizer_documents
from tests.catalog.kinds import VOCAB_TXT, trained_by_pair, trained_by_rank
from tests.files import test_tekken

#: Two ways to spell "abc" are two tokens, which only their pairs tell apart.
TWINS = BpeModel(
    SplitPattern.named("gpt2"),
    ((97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 259), (32, 97, 260)),
    {"<|end|>": 261},
)
TEXTS = ["Hello <|end|> xabc abab the cat, that 안녕 🙂", " aabcbc abc\r\n\n  x 12345 don't", ""]
CONFIG = {"added_tokens_decoder": {"2000": {"content": "<|beside|>", "special": True}}}


def _written(format_name, model):
    """Return a model's files as another program may name them."""
    files = FILE_FORMATS[format_name].write(model, "x").items()
    return {f"my {name}": text.encode() for name, text in files}


def _two_files():
    files = FILE_FORMATS["gpt2"].write(trained_by_pair().model, "x")
    encoder, merges = (text.encode() for text in files.values())
    return {"merges.txt": merges, "vocab.json": encoder}


def _without_decoder():
    (text,) = FILE_FORMATS["tokenizer.json"].write(trained_by_rank().model, "x").values()
    return json.dumps({**json.loads(text), "decoder": None}).encode()


def _beside(library_file, *tokens):
    """Return a file that its library runs, with its last added tokens only in the config."""
    document = json.loads(library_file)
    first = max([*document["model"]["vocab"].values(), *(token["id"] for token in document["added_tokens"])])
    decoder = {first + 1 + n: token for n, token in enumerate(tokens)}
    return {
        "tokenizer.json": json.dumps(document).encode(),
        "tokenizer_config.json": json.dumps({"added_tokens_decoder": decoder}).encode(),
    }


def _spaced():
    """Return ranks as an editor may leave them: with a byte order mark, and empty lines."""
    (ranks,) = _written("tiktoken", trained_by_rank().model).values()
    return b"\xef\xbb\xbf\n" + ranks.replace(b"\n", b"\r\n \n")


def _tekken(**changed):
    return json.dumps(test_tekken.document(**changed)).encode()


NAMED = [{"rank": 0, "token_str": "<unk>"}, {"rank": 5, "token_str": "<|end|>"}]
FILES = {
    "tokenizer.json": _written("tokenizer.json", trained_by_pair().model),
    "tokenizer.json without a decoder": {"no \"decoder\".json": _without_decoder()},
    "minbpe": _written("minbpe", trained_by_rank().model),
    "minbpe, merged by pairs": {"twins.model": _written("minbpe", TWINS)["my x.model"]},
    "minbpe with what lies beside": {
        **_written("minbpe", trained_by_rank().model), "tokenizer_config.json": json.dumps(CONFIG).encode()
    },
    "tekken.json": {"tekken_240911.json": _tekken()},
    "tekken.json that names its special tokens": {"tekken.json": _tekken(special_tokens=NAMED)},
    "vocab.json with merges.txt": _two_files(),
    "ranks": _written("tiktoken", trained_by_rank().model),
    "ranks with empty lines": {"spaced.tiktoken": _spaced()},
    "tekken.json with a mark": {"tekken.json": b"\xef\xbb\xbf" + _tekken()},
    "ranks in a .model": {"tokenizer.model": _written("tiktoken", trained_by_rank().model)["my x.tiktoken"]},
    "a file that its library runs": {"llama 3.json": tokenizer_documents.document("like Llama 3")},
    "a file that its library runs, with what lies beside": _beside(
        tokenizer_documents.document("like Llama 3"),
        {"content": "<|end|>", "special": True},
        {"content": " xabc", "normalized": True, "lstrip": True},
    ),
    "SentencePiece": {"spiece.model": sentencepiece_models.model_bytes("bpe, bytes")},
    "BERT's pieces": {"a vocab.txt": VOCAB_TXT},
    **{
        f"{title} with what lies beside": {
            **files,
            "tokenizer_config.json": json.dumps(
                {"added_tokens_decoder": {"40000": {"content": "<|end|>", "special": True}}}
            ).encode(),
        }
        for title, files in {
            "ranks": _written("tiktoken", trained_by_rank().model),
            "SentencePiece": {"spiece.model": sentencepiece_models.model_bytes("bpe, bytes")},
            "pieces": {"vocab.txt": VOCAB_TXT},
        }.items()
    },
}  # fmt: skip


@cache
def opened(title):
    return tokenizer_of("another name", open_files(FILES[title], SplitPattern.named("gpt2")))


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Run each program in a fresh Python in a folder with its files only; return the output."""
    lines = ["import contextlib, io, json, os", "printed = {}"]
    for title, files in FILES.items():
        folder = tmp_path_factory.mktemp("opened")
        for name, raw in files.items():
            if name != "tokenizer_config.json":
                (folder / name).write_bytes(raw)
        tokenizer = opened(title)
        codes = []
        for text in TEXTS:
            ids = list(tokenizer.encode(text))
            codes += [python_snippet(tokenizer, [text], len(ids)), decoding_snippet(tokenizer, ids)]
        honoured = _honoured(tokenizer)
        codes.append(python_snippet(tokenizer, *honoured, text=TEXTS[0]))
        lines += [f"os.chdir({str(folder)!r})", f"printed[{title!r}] = []"]
        for code in codes:
            lines += [
                "with contextlib.redirect_stdout(io.StringIO()) as out:",
                f"    exec({code!r}, {{}})",
                f"printed[{title!r}].append(out.getvalue()[:-1])",
            ]
    lines.append("print(json.dumps(printed))")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _honoured(tokenizer):
    """Encode a text with its special tokens treated as such; return the number of tokens."""
    text, special = TEXTS[0], tokenizer.special_tokens.get("<|end|>")
    ids = tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))
    if special is None:
        return [text], len(ids)
    before, after = text.split("<|end|>")
    return [before, special, after], len(ids)


@pytest.mark.parametrize("title", FILES)
def test_the_code_of_an_opened_file_reads_it_and_gives_its_ids(title, printed):
    tokenizer = opened(title)
    *shown, honoured = printed[title]
    for text, ids, decoded in zip(TEXTS, shown[::2], shown[1::2], strict=True):
        assert json.loads(ids) == list(tokenizer.encode(text))
        assert decoded == tokenizer.decode(tokenizer.encode(text))
    everything = frozenset(tokenizer.special_tokens)
    assert json.loads(honoured) == list(tokenizer.encode(TEXTS[0], allowed_special=everything))


@pytest.mark.parametrize("title", FILES)
def test_after_a_reload_the_code_names_the_same_files(title):
    tokenizer = opened(title)
    back = tokenizer_of("another name", read_kept(write_kept(model_of(tokenizer)), visitor=""))
    assert back.python_program() == tokenizer.python_program()
    name, raw = write_file("mine", model_of(tokenizer))
    if tokenizer.config is None:
        assert open_files({name: raw}, SplitPattern.named("gpt2")) == model_of(tokenizer)


@pytest.mark.parametrize(
    "said", ["x", "[" * 5000, '["tekken"]', '["no", "x"]', '["gpt2", "a"]', '["tekken", "\\ud800"]']
)
def test_a_browsers_invalid_source_is_ignored(said):
    kept = write_kept(TWINS).replace(b"kept.model\n", f"kept.model {said}\n".encode())
    back = read_kept(kept, visitor="")
    assert isinstance(back, BpeModel)
    assert (back, back.read_from) == (TWINS, None)
