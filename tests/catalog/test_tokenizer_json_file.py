"""A tokenizer.json of any kind gives the library's ids; unsupported parts are refused in one sentence."""

import json
import pickle
from itertools import pairwise

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog import opened
from playground.catalog.kept_file import read_kept, write_kept
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.errors import InvalidInputError, UnknownTokenError, VocabularyFileError
from playground.core.tokenizer import replace_lone_surrogates
from playground.files.library_document import read_library_document
from playground.files.library_file import LibraryFile
from playground.files.tokenizer_json import write_tokenizer_json
from tests.analysis.texts import HARD_AT_SPACES, texts
from tests.catalog import tokenizer_documents
from tests.catalog.any_file import FileCase, check_file, json_files
from tests.catalog.in_pieces import same_in_pieces
from tests.catalog.kinds import trained_by_pair
from tests.catalog.mutated_library_files import mutated_documents, open_and_use
from tests.catalog.tokenizer_documents import DOCUMENTS, document, library_ids

PARTS = ["the", " ", "   ", "cat", "中", "é", "e\u0301", "ﬁ", "🙂", "½", "mat", "<user>", "\u2581", "\n",
         "\0", "x", "<s>", "<mask>", "don't", "İ", "ß", "안녕", "cats", "<extra_id_0>", "A",
         "hello", "CAT", "é t", "mat  "]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=7).map("".join)
PATTERN = SplitPattern.named("gpt2")


@pytest.mark.parametrize("title", DOCUMENTS | tokenizer_documents.WORD_KINDS)
@given(text=TEXTS)
@settings(max_examples=20, deadline=None)
def test_ids_are_the_librarys_with_special_tokens_and_without(title, text):
    tokenizer = tokenizer_documents.opened(title)
    encoding = tokenizer.encode(text)
    assert encoding == library_ids(title)(text)
    honoured = tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))
    assert honoured == library_ids(title, honours_special=True)(text)
    starts, ends = encoding.starts.tolist(), encoding.ends.tolist()
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(start < end <= len(text.encode()) for start, end in zip(starts, ends, strict=True))
    pretokens = list(tokenizer.iter_pretokens(text))
    assert all(a.char_start <= b.char_start and a.char_end <= b.char_end for a, b in pairwise(pretokens))
    if "hello" not in text:  # a pretoken does not say that it is no word of its own
        assert [token_id for pretoken in pretokens for token_id in tokenizer.build(pretoken).ids] == encoding


@given(json_files())
@settings(max_examples=20, deadline=None)
def test_a_file_with_any_steps_and_added_tokens_is_its_librarys(case):
    check_file(case)


def test_a_space_sign_that_a_step_inserts_is_not_the_added_token_of_the_same_spelling():
    found = json.loads(document("added tokens, bytes before cutting"))
    found["normalizer"] = {"type": "Prepend", "prepend": "\u2581"}
    found["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    check_file(FileCase("x.json", json.dumps(found).encode(), ["é cats", "\u2581"]))


@pytest.mark.parametrize("title", DOCUMENTS)
def test_tokens_are_spelled_as_in_the_file(title):
    tokenizer = tokenizer_documents.opened(title)
    vocabulary = tokenizer.vocabulary
    library = tokenizer._library
    spelled = {token_id: vocabulary.entry(token_id).spelled for token_id in vocabulary.ids.tolist()}
    assert spelled == {token_id: token for token, token_id in library.get_vocab().items()}
    with pytest.raises(UnknownTokenError):
        tokenizer.decode([10**6])


def entry_of(title, spelled):
    vocabulary = tokenizer_documents.opened(title).vocabulary
    return next(entry for entry in map(vocabulary.entry, vocabulary.ids.tolist()) if entry.spelled == spelled)


@pytest.mark.parametrize(
    ("title", "spelled", "raw", "kind"),
    [
        ("like Llama 2", "▁", b" ", "piece"), ("like Llama 2", "<0x0A>", b"\n", "byte"),
        ("like Llama 2", "<unk>", b"<unk>", "unknown"), ("like Llama 2", "<s>", b"<s>", "special"),
        ("like Llama 3", "Ġthe", b" the", "piece"), ("like Llama 3", "Ċ", b"\n", "byte"),
        ("like RoBERTa", "mat", b"mat", "piece"), ("like RoBERTa", "<mask>", b"<mask>", "special"),
        ("like BERT", "##t", b"t", "continuation"), ("like BERT", "[UNK]", b"[UNK]", "unknown"),
        ("like CLIP", "the</w>", b"the", "piece"), ("like T5", "▁", b" ", "piece"),
        ("like T5", "<extra_id_0>", b"<extra_id_0>", "piece"),
    ],
)  # fmt: skip
def test_a_token_is_known_by_its_bytes_and_its_kind(title, spelled, raw, kind):
    entry = entry_of(title, spelled)
    assert (entry.raw, entry.kind) == (raw, kind)
    assert (entry.score is not None) == (title == "like T5")


def test_a_character_that_the_file_splits_within_has_consistent_pretokens():
    """Digits after bytes: GPT-2 spells the second byte of "ò" with a character that is a digit."""
    changed = json.loads(document("like Llama 3"))
    changed["pre_tokenizer"]["pretokenizers"].append({"type": "Digits", "individual_digits": True})
    tokenizer = TokenizerJsonFile("x", LibraryFile.of("tokenizer.json", json.dumps(changed).encode()))
    pretokens = list(tokenizer.iter_pretokens("xòx"))
    assert len(pretokens) == 3
    assert [n for pretoken in pretokens for n in tokenizer.build(pretoken).ids] == tokenizer.encode("xòx")


def test_a_file_is_opened_in_a_process_kept_as_it_came_and_travels():
    raw = document("like T5")
    model = opened.open_files({"tokenizer.json": raw}, PATTERN)
    assert model == LibraryFile.of("tokenizer.json", raw)
    assert read_kept(write_kept(model), visitor="v") == model
    tokenizer = opened.tokenizer_of("mine", model)
    assert pickle.loads(pickle.dumps(tokenizer)).encode("the cat") == tokenizer.encode("the cat")


def test_files_for_our_own_reader_are_not_given_to_the_library():
    ((name, text),) = write_tokenizer_json(trained_by_pair().model, "x").items()
    assert isinstance(opened.open_files({name: text.encode()}, PATTERN), BpeModel)


def changed(title, change):
    found = json.loads(document(title))
    change(found)
    return json.dumps(found).encode()


@pytest.mark.parametrize(
    ("title", "change", "words"),
    [
        ("like T5", lambda d: d.pop("model"), "its model is missing; valid is an object with a type"),
        ("like CLIP", lambda d: d["model"].update(type="Y"), "model, type, is 'Y'; valid are BPE, Unigram"),
        ("like BERT", lambda d: d["model"].update(unk_token="x"), "^x.json: the unk_token of its WordP"),
        ("like CLIP", lambda d: d.update(more=1), "key 'more' is not known; valid are version, truncation"),
        ("like T5", lambda d: d["model"].update(vocab=[["a"]]), r"vocab, item 0: \['a'\] is no piece"),
        ("like CLIP", lambda d: d["model"].update(vocab={"a": 0, "b": 0}), "'a' and 'b' have one id, 0; e"),
        ("like BERT", lambda d: d["model"]["vocab"].update(x=-1), "-1 is not an id"),
        ("like BERT", lambda d: d["model"].update(max_input_chars_per_word=10**9), "limit is 200"),
        ("like CLIP", lambda d: d["model"].update(dropout=0.5), "dropout is 0.5, which gives other ids each"),
        ("like CLIP", lambda d: d["model"]["merges"].append(["cat</w>", "t"]), "token 'cat</w>t', which"),
        ("like CLIP", lambda d: d["model"].pop("merges"), "its model lacks its merges; BPE has a list"),
        ("like CLIP", lambda d: d["model"].update(merges=["a b c"]), "its merges are no pairs"),
        ("like ALBERT", lambda d: d["pre_tokenizer"].update(prepend_scheme="x"), "valid are first, never"),
        ("like CLIP", lambda d: d["model"].update(fuse_unk="x"), "is x, where true or false is valid"),
        ("like T5", lambda d: d["added_tokens"][0].update(content=""), "a special token is empty"),
        ("like T5", lambda d: d["added_tokens"][0].update(id=9), "its id, 9, is that of"),
        ("like T5", lambda d: d["added_tokens"][-1].update(id=999), "has the id 999, but Hugging Face's"),
        (
            "like T5",
            lambda d: d.update(normalizer={"type": "Precompiled", "precompiled_charsmap": "!"}),
            "precompiled_charsmap is not Base64",
        ),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_the_fault(title, change, words):
    with pytest.raises(VocabularyFileError, match=words):
        opened.read_and_try({"x.json": changed(title, change)}, PATTERN)


@pytest.mark.parametrize("name", ["tokenizer.json", "tekken.json", "x.model", "x.tiktoken", "vocab.txt"])
@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "is empty; choose the whole file"),
        (b"\n <!DOCTYPE html><html>", "is a web page; save the file itself"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "fetch the file itself, by git lfs"),
        (b"PK\x03\x04....", "is an archive; choose the file that is in it"),
    ],
)
def test_another_file_saved_under_the_name_is_recognized(name, raw, words):
    with pytest.raises(VocabularyFileError, match=f"^{name} .*{words}"):
        opened.open_files({name: raw}, PATTERN)


def test_added_tokens_that_the_library_takes_for_each_other_are_refused():
    """The library finds one or the other, at random for each loading."""
    library = tokenizers.Tokenizer.from_str(document("WordPiece, short words").decode())
    library.normalizer = tokenizers.normalizers.Lowercase()
    library.add_tokens(["Hello", "HELLO"])
    raw = library.to_str().encode()
    with pytest.raises(VocabularyFileError, match="'Hello' and 'HELLO' are both 'hello' once normalized"):
        opened.read_and_try({"x.json": raw}, PATTERN)


def test_a_wrong_id_is_not_blamed_on_a_pattern_that_only_the_library_reads():
    """Python's `regex` reads the file's pattern differently, so our own reader does not reach the id."""
    ((name, text),) = write_tokenizer_json(trained_by_pair().model, "x").items()
    file = json.loads(text)
    file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = r"\p{N}{1,3}+|[^\p{N}]+"
    file["added_tokens"][0]["id"] = 999
    with pytest.raises(VocabularyFileError, match="has the id 999, but Hugging Face's"):
        opened.read_and_try({name: json.dumps(file).encode()}, PATTERN)


def test_a_unigram_without_an_unknown_token_is_opened_and_refuses_a_text_with_an_unknown_character():
    model = {"type": "Unigram", "unk_id": None, "vocab": [["a", -1.0], ["b", -2.0], ["ab", -1.5]]}
    tokenizer = opened.tokenizer_of(
        "x", opened.read_and_try({"x.json": json.dumps({"model": model}).encode()}, PATTERN)
    )
    assert list(tokenizer.encode("abba")) == [2, 1, 0]
    with pytest.raises(InvalidInputError, match="a character without a piece, and it has no unk_id"):
        tokenizer.encode("abc")


@pytest.mark.parametrize("affix", [{"continuing_subword_prefix": "##"}, {"end_of_word_suffix": "</w>"}])
@given(text=st.text("abc中é ", max_size=12))
@settings(max_examples=20, deadline=None)
def test_tokens_of_a_file_with_byte_fallback_and_an_affix_stay_inside_their_pretokens(affix, text):
    """The library counts the bytes of the affix as if they were the text's."""
    bytes_of = {f"<0x{byte:02X}>": byte for byte in range(256)}
    vocab = {**bytes_of, **{piece: 256 + n for n, piece in enumerate(["a", "##b", "b</w>", "c"])}}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": True, **affix}
    raw = json.dumps({"pre_tokenizer": {"type": "WhitespaceSplit"}, "model": model}).encode()
    tokenizer = opened.tokenizer_of("x", opened.read_and_try({"x.json": raw}, PATTERN))
    encoding = tokenizer.encode(text)
    assert list(encoding) == tokenizers.Tokenizer.from_str(raw.decode()).encode(text).ids
    words = [(word.char_start, word.char_end) for word in tokenizer.iter_pretokens(text)]
    spans = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in words]
    for start, end in zip(encoding.starts.tolist(), encoding.ends.tolist(), strict=True):
        assert any(first <= start < end <= last for first, last in spans)


#: Steps that never end or that fill the memory, in ever another way.
HARMFUL = {
    "a pattern": {"pre_tokenizer": {
        "type": "Split", "pattern": {"Regex": "((a+)+)+$"}, "behavior": "Isolated", "invert": False}},
    "a replacement": {"normalizer": {"type": "Sequence", "normalizers": [
        {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 1000} for _ in range(4)]}},
}  # fmt: skip


@pytest.mark.parametrize("what", HARMFUL)
def test_a_text_that_takes_too_long_is_refused_and_the_next_is_encoded(what, monkeypatch):
    raw = changed("like CLIP", lambda d: d.update(HARMFUL[what]))
    tokenizer = TokenizerJsonFile("x", LibraryFile.of("tokenizer.json", raw))
    with monkeypatch.context() as patched:
        patched.setattr("playground.catalog.tokenizer_json_file.SECONDS", 1.0)
        with pytest.raises(InvalidInputError, match=r"cutting this text as x does|too many tries"):
            tokenizer.encode("a" * 5_000 + "b")
    assert tokenizer.encode("the")


@given(mutated_documents())
@settings(max_examples=25, deadline=None)
def test_mutated_files_are_refused_or_used(files):
    open_and_use(files)


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file["added_tokens"][0].update(lstrip=True),
        lambda file: file.update(normalizer={"type": "Lowercase"}),
        lambda file: file["pre_tokenizer"]["pretokenizers"][0]["pattern"].update(Regex=r"\s+"),
        lambda file: file["pre_tokenizer"]["pretokenizers"].append(
            {"type": "Digits", "individual_digits": True}
        ),
    ],
)
def test_a_text_is_cut_only_where_all_of_a_file_is_known(change):
    assert tokenizer_documents.opened("like Llama 3 and its split").safe_cut is not None
    changed = json.loads(tokenizer_documents.document("like Llama 3 and its split"))
    change(changed)
    raw = json.dumps(changed).encode()
    assert TokenizerJsonFile("changed", LibraryFile.of("tokenizer.json", raw)).safe_cut is None


_OF_BERT = st.text(st.sampled_from("aeThcst ., \n\t\r-[]!\u00e9\u0301你\u200d\ufffd\xdf\u0130\u03a3"))


def _steps(file):
    return file["pre_tokenizer"]["pretokenizers"]


def _normalizers(file):
    return file["normalizer"]["normalizers"]


def same_where_normalized(tokenizer, text):
    """After a character that a map drops, the library's positions are off by one to the end of its text."""
    text = replace_lone_surrogates(text)
    same_in_pieces(tokenizer, text, has_places=not tokenizer.document.of_spaces.intersection(text))


@settings(deadline=None)
@given(_OF_BERT | texts())
@example("a \u0301b")
@example("c.\u0301a")
@example("你\u0301 the")
@example("a  b \u200d c")
def test_a_text_in_pieces_is_encoded_as_the_whole_where_bert_cuts(text):
    """Ids and positions, at one safe place and at all of them."""
    same_where_normalized(tokenizer_documents.opened("like BERT"), text)


@pytest.mark.parametrize("title", tokenizer_documents.CUT_AT_SPACES)
@settings(deadline=None, max_examples=20)
@given(HARD_AT_SPACES | texts())
@example("a \u0301b \xa8 c\u2017 d \ufdfa e \u0e33 \u0600 x \u3164 y")
@example(" the cat  sat\u3000 on \u2581 the\n mat, ``x`` don't")
def test_a_text_in_pieces_is_encoded_as_the_whole_where_it_is_cut_at_spaces(title, text):
    same_where_normalized(tokenizer_documents.opened(title), text)


@pytest.mark.parametrize("title", tokenizer_documents.CUT_AT_SPACES)
def test_most_words_of_a_text_end_at_a_cut_at_spaces(title):
    safe_cut = tokenizer_documents.opened(title).safe_cut
    assert safe_cut is not None
    assert len(safe_cut.split("The cat sat, on the mat. 안녕 नमस्ते " * 10)) > 50


@pytest.mark.parametrize(
    ("title", "change"),
    [
        ("like XLM-R", lambda file: _steps(file)[1].update(prepend_scheme="first")),
        ("like ALBERT", lambda file: file["pre_tokenizer"].update(split=False)),
        ("like ALBERT", lambda file: _normalizers(file)[0].update(pattern={"String": "` "})),
        ("like ALBERT", lambda file: _normalizers(file).append({"type": "Strip"})),
        ("like ALBERT", lambda file: _normalizers(file).append({"type": "Prepend", "prepend": "x"})),
        ("like ALBERT", lambda file: file["added_tokens"][1].update(rstrip=True)),
        ("like T5, now", lambda file: file["added_tokens"][-1].update(content="a mat")),
        ("WordPiece, cased", lambda file: _steps(file)[1].update(behavior="Removed")),
        ("BPE, continuations with a prefix", lambda file: file["model"].update(unk_token=None)),
    ],
)
def test_a_file_with_a_step_that_looks_over_a_space_is_not_cut(title, change):
    assert tokenizer_documents.opened(title).safe_cut is not None
    tokenizer = TokenizerJsonFile("x", LibraryFile.of("tokenizer.json", changed(title, change)))
    assert tokenizer.safe_cut is None


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file["normalizer"].update(handle_chinese_chars=False),
        lambda file: file.update(pre_tokenizer={"type": "Whitespace"}),
    ],
)
def test_a_file_with_another_step_than_berts_is_cut_at_spaces_alone(change):
    tokenizer = TokenizerJsonFile("x", LibraryFile.of("tokenizer.json", changed("like BERT", change)))
    assert tokenizer.safe_cut is not None
    assert tokenizer.safe_cut.split("The cat, the 猫.") == ["The ", "cat, ", "the ", "猫."]
    same_in_pieces(tokenizer, "The cat, é the 猫. \u0301b [CLS] x")


_BETWEEN_PAIRS = st.lists(
    st.sampled_from(
        ["the", " ", "  ", " the cat", "mat", "that cat; ", "\n", "\n\n- ", "\r\n", "\t", "<s>", "\u2581"]
    )
    | st.sampled_from(
        [
            "<0x0A>",
            "don't  stop",
            "na\u00efve",
            "e\u0301",
            "\ue000",
            "\u4eba",
            "\uc548",
            "\x00",
            "\U0001f1f3\U0001f1f5",
        ]
    ),
    max_size=14,
).map("".join)


@pytest.mark.parametrize("title", tokenizer_documents.CUT_BETWEEN_PAIRS)
@settings(deadline=None, max_examples=30)
@given(text=_BETWEEN_PAIRS | HARD_AT_SPACES | texts())
@example(text="the cat sat.\n\n- that\u2581mat;the\n\t cat \u4eba<0x0A>\ue000 x")
def test_a_text_of_one_pretoken_is_encoded_in_pieces_as_its_library_encodes_the_whole(title, text):
    tokenizer = tokenizer_documents.opened(title)
    text = replace_lone_surrogates(text)
    assert tokenizer.rest is not None
    assert tokenizer.encode(text) == library_ids(title)(text)
    same_in_pieces(tokenizer, text)


def test_a_text_of_one_pretoken_may_be_cut_in_many_places():
    """Before a space if tokens are words, and after a line feed if they cross spaces."""
    for title, text in (
        ("of words", "the cat sat on the mat " * 9),
        ("of lines", "that cat; hello world\n" * 9),
    ):
        rest = tokenizer_documents.opened(f"like Llama 2, {title}").rest
        assert rest is not None
        assert len(rest.cut.findall(text)) >= 9


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file["added_tokens"][0].update(rstrip=True),
        lambda file: _normalizers(file).append({"type": "NFC"}),
        lambda file: _normalizers(file)[0].update(prepend="x"),
        lambda file: file.update(pre_tokenizer={"type": "Whitespace"}),
        lambda file: file["model"].update(ignore_merges=True),
        lambda file: file["model"]["merges"].append(["<0x0A>", "t"]),
    ],
)
def test_a_text_of_one_pretoken_is_cut_only_where_all_of_a_file_is_known(change):
    document = json.loads(tokenizer_documents.document("like Llama 2"))
    assert read_library_document(document, "x").pair_cut is not None
    change(document)
    assert read_library_document(document, "x").pair_cut is None
