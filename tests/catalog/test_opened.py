"""Tokenizers with a config beside their files have the ids of Hugging Face's library."""

import json
import pickle

import pytest
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.kept_file import read_kept, write_kept
from playground.catalog.opened import ConfiguredModel, model_of, open_files, tokenizer_of
from playground.core.errors import VocabularyFileError
from playground.files.library_file import LibraryFile
from tests.catalog.sentencepiece_models import model_bytes

PATTERN = SplitPattern.named("gpt2")
CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
TEXTS = ["<|im_start|>user\nHello<|im_end|>\n", "a<|tool|>b <|im_end", "", "no tokens at all"]


@pytest.fixture(scope="module")
def library():
    """Train byte-level BPE in the library, without added tokens."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    made.train_from_iterator(["Hello user, hello tools and system. " * 20], trainer)
    return made


def config_of(library, **others):
    """Return a config with three tokens after the vocabulary, and the library with them."""
    first = library.get_vocab_size()
    names = ["<|im_start|>", "<|im_end|>", "<|tool|>"]
    decoder = {
        str(first + n): {"content": name, "special": n < 2, "normalized": False, "lstrip": False,
                         "rstrip": False, "single_word": False}
        for n, name in enumerate(names)
    }  # fmt: skip
    document = {"added_tokens_decoder": decoder, "eos_token": "<|im_end|>", "chat_template": CHATML, **others}
    with_tokens = Tokenizer.from_str(library.to_str())
    with_tokens.add_tokens(
        [AddedToken(name, special=n < 2, normalized=False) for n, name in enumerate(names)]
    )
    return json.dumps(document).encode(), with_tokens


def files_of(library, kind):
    document = json.loads(library.to_str())
    match kind:
        case "tokenizer.json":
            return {"tokenizer.json": library.to_str().encode()}
        case "vocab.json":
            merges = "".join(" ".join(pair) + "\n" for pair in document["model"]["merges"])
            return {
                "vocab.json": json.dumps(document["model"]["vocab"]).encode(),
                "merges.txt": merges.encode(),
            }
        case _:  # a file that the library alone runs
            document["normalizer"] = {"type": "NFC"}
            return {"tokenizer.json": json.dumps(document).encode()}


@pytest.mark.parametrize("kind", ["tokenizer.json", "vocab.json", "with a normalizer"])
def test_added_tokens_are_found_as_the_library_finds_them(library, kind):
    config, with_tokens = config_of(library)
    tokenizer = tokenizer_of(
        "mine", open_files({**files_of(library, kind), "tokenizer_config.json": config}, PATTERN)
    )
    assert tokenizer.config is not None
    assert tokenizer.config.templates == {"default": CHATML}
    for text in TEXTS:
        found = tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))
        assert found == with_tokens.encode(text, add_special_tokens=False).ids, text
    again = pickle.loads(pickle.dumps(tokenizer))
    assert (again.config, again.special_tokens) == (tokenizer.config, tokenizer.special_tokens)


def test_sentencepiece_gets_tokens_behind_its_own():
    raw = model_bytes("bpe, nothing normalized")
    plain = tokenizer_of("mine", open_files({"tokenizer.model": raw}, PATTERN))
    n = plain.vocabulary.n_vocab
    config = {
        "added_tokens_decoder": {
            "1": {"content": "<s>", "special": True},
            str(n + 3): {"content": "<|im_end|>", "special": True},
        }
    }
    files = {"tokenizer.model": raw, "tokenizer_config.json": json.dumps(config).encode()}
    model = open_files(files, PATTERN)
    assert isinstance(model, ConfiguredModel)
    assert isinstance(model.model, LibraryFile)
    tokenizer = tokenizer_of("mine", model)
    assert dict(tokenizer.special_tokens) == {**plain.special_tokens, "<|im_end|>": n + 3}
    allowed = frozenset(tokenizer.special_tokens)
    expected = [*plain.encode("hello"), n + 3, *plain.encode("user")]
    assert tokenizer.encode("hello<|im_end|>user", allowed_special=allowed) == expected
    assert tokenizer.vocabulary.raw_of(n + 3) == b"<|im_end|>"
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.encode("hello<|im_end|>user", allowed_special=allowed) == expected
    back = tokenizer_of("mine", read_kept(write_kept(model_of(tokenizer)), visitor=""))
    assert dict(back.special_tokens) == dict(tokenizer.special_tokens)
    assert (tokenizer.about, tokenizer.model) == (plain.about, plain.model)
    assert tokenizer.n_bytes_held > plain.n_bytes_held


def opened(**files):
    own = {"x.model": b"minbpe v1\n\n1\n<a> 256\n"}
    return open_files({**own, **files}, PATTERN)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"added_tokens_decoder": {"97": {"content": "<b>"}}}, "'<b>' the id 97, which is 'a'"),
        ({"added_tokens_decoder": {"300": {"content": "<a>"}}}, "'<a>' the id 300, which has the id 256"),
        (
            {"added_tokens_decoder": {"300": {"content": "<b>", "lstrip": True}}},
            "takes more than its own text",
        ),
        ({"chat_template": "{% for %}"}, "template 'default': the chat template cannot be read"),
        ({"chat_template": 7}, "is no template"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_the_reason(config, said):
    with pytest.raises(VocabularyFileError) as error:
        opened(**{"tokenizer_config.json": json.dumps(config).encode()})
    assert said in str(error.value)


def test_a_config_that_does_not_match_its_tokenizer_is_explained(library):
    config = {"added_tokens_decoder": {"5000": {"content": "<z>", "special": True}}}
    files = {**files_of(library, "with a normalizer"), "tokenizer_config.json": json.dumps(config).encode()}
    with pytest.raises(VocabularyFileError, match=r"5000, .*; it is read with 1 token that tokenizer_config"):
        open_files(files, PATTERN)


def test_a_template_alone_beside_a_file_is_its_chat_template():
    model = opened(**{"llama3.jinja": b"Hi"})
    assert isinstance(model, ConfiguredModel)
    assert isinstance(model.model, BpeModel)
    assert model.config.templates == {"default": "Hi"}
