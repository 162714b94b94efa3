"""Each export is proven with its library, or refused with the reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError
from playground.files.proof import Loaded, new_texts, proof_texts, prove
from playground.files.registry import FILE_FORMATS, export
from tests.files.mutated_files import small_model

KNOWN = ["none", *SPLIT_PATTERNS]


def exported(name, expression, special=("<|end|>", "<x>"), model=None):
    model = model or small_model(SplitPattern.parse(expression), special)
    return TrainedTokenizer("mine", model).export(FILE_FORMATS[name])


@pytest.mark.parametrize("name", FILE_FORMATS)
@pytest.mark.parametrize("pattern", KNOWN)
def test_known_patterns_are_proven_in_every_format(name, pattern):
    proof = exported(name, pattern).proof
    model = small_model(SplitPattern.parse(pattern), ("<|end|>", "<x>"))
    tokenizer = TrainedTokenizer("mine", model)
    every_special = frozenset(model.special_tokens)
    texts = proof_texts(tuple(model.special_tokens))
    assert proof.n_ids == sum(len(tokenizer.encode(text, allowed_special=every_special)) for text in texts)
    # Ours follow tiktoken's Unicode; minbpe cuts with `regex`, which is newer.
    is_newer = name == "minbpe" and pattern != "none"
    assert ("characters of Unicode 17" in proof.sentence) == is_newer
    assert proof.sentence.startswith(f"Equal in {proof.library}: ")
    assert ("tokenizer.compiled_pattern = " in proof.sentence) == (is_newer and pattern != "cl100k")


@pytest.mark.parametrize(
    ("name", "expression", "words"),
    [
        ("minbpe", r"\p{L}+", r"leaves out text.*\|\[\\s\\S\]"),
        ("tokenizer.json", r"(?s).{1,4}", "Oniguruma error"),
        ("tiktoken", r"\X", "Invalid escape"),
        ("tokenizer.json", r"\X", "reads the split pattern otherwise"),
        ("tokenizer.json", r"\w+|\W+", "reads the split pattern otherwise: it cuts off ' ' after '000', not"),
        ("minbpe", r"([a-z]+)|[^a-z]", r"a group.*\(\?:…\)"),
        ("minbpe", "a\n|[^a]", "on one line"),
        ("tiktoken", r"(?=b)|\w+|\W+", "tiktoken"),
    ],
)  # fmt: skip
def test_a_typed_pattern_that_a_library_reads_differently_is_refused(name, expression, words, capfd):
    with pytest.raises(CannotHoldError, match=words):
        exported(name, expression)


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("minbpe", r"(?s).{1,4}"),
        ("minbpe", r"\X"),
        ("tokenizer.json", r"\p{L}+"),
        *[(name, r"\p{L}+|[\s\S]") for name in FILE_FORMATS],
    ],
)
def test_a_typed_pattern_that_is_read_alike_is_proven(name, expression):
    assert exported(name, expression).proof.n_ids > 1_000


_pieces = st.sampled_from(
    [
        r"\p{L}",
        r"\d",
        r"\s",
        r"\w",
        "[a-z]",
        "[^a]",
        "é",
        " ",
        "'",
        r"(?:\p{N}{1,3})",
        r"[\s\S]",
        ".",
        "aa",
        r"\S",
        "a",
    ]
)
_patterns = st.lists(
    _pieces.flatmap(lambda p: st.sampled_from([p, f"{p}+", f" ?{p}", f"{p}++", f"(?:{p})"])),
    min_size=1,
    max_size=4,
)
ALL_PARTS = "ab'é 12½\n\t ٣语ſ.🙂"


@given(expression=_patterns.map("|".join), text=st.text(ALL_PARTS, max_size=20))
@settings(max_examples=4)
def test_proven_exports_give_the_same_ids_for_other_texts(expression, text):
    tokenizer = TrainedTokenizer("mine", small_model(SplitPattern.typed(expression)))
    for name in ("tiktoken", "tokenizer.json"):
        entry = FILE_FORMATS[name]
        try:
            files = tokenizer.export_here(entry).files
        except CannotHoldError:
            continue
        assert list(entry.load(files, tokenizer.model).encode(text)) == tokenizer.encode(text)


@pytest.mark.parametrize("name", ["tokenizer.json", "gpt2"])
def test_a_special_token_that_spells_an_ordinary_one_is_refused_where_both_are_one(name):
    for token in ("the", "a", "Ġ", "Ġthe"):
        with pytest.raises(CannotHoldError, match=r"holds only one of them: choose \.model or \.tiktoken"):
            exported(name, "gpt2", (token,))


@pytest.mark.parametrize("token", ["<| a b |>", "x\u2003"])
def test_minbpe_splits_the_line_of_a_special_token(token):
    with pytest.raises(CannotHoldError, match="splits lines at spaces"):
        exported("minbpe", "gpt2", (token,))
    for name in ("tiktoken", "tokenizer.json", "gpt2"):
        assert exported(name, "gpt2", (token,)).proof.n_ids


@pytest.mark.parametrize("name", ["minbpe", "tokenizer.json", "gpt2"])
@pytest.mark.parametrize("special", [("<a>", "<a>b"), ("b", "<a>b", "<a>")])
def test_the_longer_of_two_special_tokens_wins_in_every_library(name, special):
    tokenizer = TrainedTokenizer("mine", small_model(SplitPattern.named("cl100k"), special))
    if name != "minbpe" and "b" in special:
        with pytest.raises(CannotHoldError):  # "b" is an ordinary token too
            tokenizer.export(FILE_FORMATS[name])
    else:
        assert tokenizer.export(FILE_FORMATS[name]).proof.n_ids


def test_a_merge_that_reads_like_a_version_is_left_to_tokenizer_json():
    token = 35  # "#"
    merges: list[tuple[int, int, int]] = []
    for character in "version!":
        merges.append((token, ord(character), 256 + len(merges)))
        token = merges[-1][2]
    model = BpeModel(SplitPattern.named("none"), tuple(merges))
    with pytest.raises(CannotHoldError, match="#version !"):
        exported("gpt2", "", model=model)
    assert exported("tokenizer.json", "", model=model).proof.n_ids


def test_different_ids_fail_the_proof():
    model = small_model(SplitPattern.named("gpt2"))
    with pytest.raises(CannotHoldError, match=r"tokenizers \S+ gives other ids for 'Hello world"):
        export(FILE_FORMATS["tokenizer.json"], model, "mine", lambda text: list(text.encode()))
    same = Loaded("twin", lambda text: list(text.encode()), lambda text: [text] if text else [])
    none = BpeModel(SplitPattern.named("none"), ())
    assert prove(lambda text: list(text.encode()), lambda: same, none).sentence.endswith(" ids.")
    halved = same._replace(cut=lambda text: [text[:1], text[1:]] if text else [])
    with pytest.raises(CannotHoldError, match="it cuts off 'H', not 'Hello"):
        prove(lambda text: list(text.encode()), lambda: halved, none)


def test_characters_that_only_one_library_knows_are_named():
    none = BpeModel(SplitPattern.named("none"), ())
    new = set(new_texts())
    older = Loaded(
        "older",
        lambda text: list(text.encode()),
        lambda text: list(text) if text in new else [text] if text else [],
    )
    sentence = prove(lambda text: list(text.encode()), lambda: older, none).sentence
    for words in (
        "characters of Unicode 15.1",
        "characters of Unicode 16",
        "characters of Unicode 17",
        "U+0295",
    ):
        assert words in sentence
