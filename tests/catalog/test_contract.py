"""Every kind of tokenizer keeps the contract, on difficult and on random texts."""

import base64
import hashlib
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.catalog.openai import load_openai
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.catalog.shipped_vocabularies import VOCABULARY_DIR, read_vocabulary
from playground.catalog.word_table import learn_table, write_table
from playground.core.errors import UnknownTokenError
from playground.core.tokenizer import decode_bytes, replace_lone_surrogates, segment
from playground.core.vocabulary import TableVocabulary
from playground.files.registry import FILE_FORMATS
from playground.files.tokenizer_json import write_tokenizer_json
from tests.analysis.texts import texts
from tests.catalog import sentencepiece_models, tokenizer_documents
from tests.catalog.kinds import (
    CLAUDE,
    CORPUS,
    KINDS,
    LEARNED,
    VOCAB_TXT,
    library_of,
    tokenizer_of,
    trained_by_pair,
    trained_by_rank,
)
from tests.wordpieces import ALPHABET, SPECIAL, Wordpieces, oracle

UDHR = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())
HARD_TEXTS = {
    "39 languages": "\n".join(entry["articles"][0][:60] for entry in UDHR),
    "code": "def f(x: int):\n    return f'{x:>4}' if x != -1 else None\n\n\t# TODO: 12_345.6e-7 && a->b;\n",
    "empty": "", "spaces": "   ", "families": "👩‍👩‍👧‍👦👨‍👧", "flags": "🇫🇷🇰🇷🇳", "jamo": "한글",
    "thai": "ภาษาไทยน้ำ", "devanagari": "क्षत्रिय नेपाली", "tamil": "தமிழ் நி", "arabic": "السَّلَامُ عَلَيْكُمْ",
    "zalgo": "Z̴̡͎͊a̷̛͓l̵̰̈́g̶o", "bom": "\ufeffa\ufeff", "surrogates": "a\ud83d b\ude00", "nul": "a\0b\0",
    "crlf": "a\r\nb\r\r\n\n", "special": "<|endoftext|> <|fim_prefix|> <|end|> <user>", "pairs": "xabc abab",
    "pieces": "Unaffable straße é!", "corpus": CORPUS,
    "decomposed": "e\u0323\u0307 o\u0301o \u0958 \u212b\u212b ᄒ\u1161\u11ab q\u0307\u0323",
    "kana": "中゛・゠テ\u3097\u3040中12 中", "unmatched": "\x01\x02a\x03 \u200b\u200bx\u0378y",
}  # fmt: skip
#: Texts on which the small tokenizer of the tests is what `tokenizers` makes of it.
PIECES = st.text(ALPHABET, max_size=12)
#: The token of what is unknown, where it is not [UNK].
UNKNOWN = dict.fromkeys(["opened, unigram, nmt_nfkc, symbols", "opened, like Llama 2"], "<unk>")
UNKNOWN["words, others <unk>"] = "<|unk|>"
TEXTS = texts() | PIECES | st.text(st.sampled_from("xabc <|end>"), max_size=12)
#: The tests of one kind follow each other, so that one process loads its vocabulary.
of_every_kind = pytest.mark.parametrize("kind", KINDS, scope="module")


def test_every_kind_of_tokenizer_is_tested_for_the_contract():
    assert set(TOKENIZERS) <= set(KINDS)


#: Of these, decoding puts spaces between words.
_SPACED = {"bert_uncased", "opened, vocab.txt", "words", "words, others <unk>"}


def keeps_its_promises(kind, text):
    tokenizer = tokenizer_of(kind)
    encoding = tokenizer.encode(text)
    clean = replace_lone_surrogates(text)
    raw = clean.encode()
    assert encoding.text == clean
    assert list(encoding) == encoding.ids.tolist() == tokenizer.encode(clean)
    starts, ends = encoding.starts.tolist(), encoding.ends.tolist()
    assert all(0 <= start <= end <= len(raw) for start, end in zip(starts, ends, strict=True))
    assert all(a <= b for column in (starts, ends) for a, b in pairwise(column))
    assert encoding.lengths.sum() == len(raw) * bool(len(encoding))
    raws = [tokenizer.vocabulary.raw_of(token_id) for token_id in encoding]
    tiles = starts[:1] in ([], [0]) and ends[-1:] == ([len(raw)] if raw else []) and starts[1:] == ends[:-1]
    tiles = tiles and [raw[a:b] for a, b in zip(starts, ends, strict=True)] == raws
    assert encoding.is_tiling == (tiles and kind not in CLAUDE)  # a pretoken of Claude has marks
    check_segments(tokenizer, text)
    if encoding.is_tiling:
        decoded = tokenizer.decode(encoding)
        if kind in _SPACED:
            decoded, clean = decoded.replace(" ", ""), clean.replace(" ", "")
        assert decoded == clean
        assert decode_bytes(tokenizer, encoding) == raw
    return encoding


def check_segments(tokenizer, text, allowed_special=frozenset()):
    cut = segment(tokenizer, text, allowed_special=allowed_special)
    assert list(cut.ids) == tokenizer.encode(text, allowed_special=allowed_special)
    assert "".join(run.text for run in cut.segments) == (cut.text if cut.tokens else "")
    assert [token for run in cut.segments for token in run.tokens] == list(cut.tokens)
    for token in cut.tokens[:50]:  # the characters that a token touches contain its bytes
        touched = cut.text[token.char_start : token.char_end].encode()
        assert cut.text.encode()[token.byte_start : token.byte_end] in touched
        assert token.is_special == (token.id in tokenizer.special_tokens.values())
    return cut


def built_ids(tokenizer, text):
    """Return the ids of each pretoken's building; the pretokens are in order and contain the encoded text."""
    pretokens = list(tokenizer.iter_pretokens(text))
    for places in ([pretoken[1] for pretoken in pretokens], [pretoken[2] for pretoken in pretokens]):
        assert places == sorted(places)  # two may share characters that were changed into both
    assert all(pretoken.char_start < pretoken.char_end <= len(text) for pretoken in pretokens)
    if tokenizer.encode(text).is_tiling:
        assert "".join(pretoken.text for pretoken in pretokens) == replace_lone_surrogates(text)
    return [token_id for pretoken in pretokens for token_id in tokenizer.build(pretoken).ids]


def own_ids(encoding):
    """Return the ids without inserted ones, which cover nothing."""
    return encoding.ids[encoding.ends > encoding.starts].tolist()


@of_every_kind
def test_difficult_texts_are_encoded_and_decoded(kind):
    for title, text in HARD_TEXTS.items():
        encoding = keeps_its_promises(kind, text)
        assert built_ids(tokenizer_of(kind), text) == own_ids(encoding), title
        if "wordpieces" not in kind and kind not in CLAUDE:
            assert own_ids(encoding) == library_of(kind)(replace_lone_surrogates(text)), title


@of_every_kind
@example(text="...안녕")  # tiles, and where words are rows comes back with a space between
@given(text=TEXTS | st.text(st.characters()))
@settings(max_examples=10, deadline=None)
def test_building_encoding_and_the_public_library_agree(kind, text):
    encoding = keeps_its_promises(kind, text)
    assert built_ids(tokenizer_of(kind), text) == own_ids(encoding)
    if kind not in CLAUDE and ("wordpieces" not in kind or set(text) <= set(ALPHABET)):
        assert own_ids(encoding) == library_of(kind)(replace_lone_surrogates(text))


@given(text=PIECES)
@settings(max_examples=30)
def test_spans_of_a_normalized_text_are_those_of_tokenizers(text):
    """A real library confirms the behaviour that other tests expect of views."""
    encoding = Wordpieces().encode(text)
    ids, spans = oracle(text)
    assert list(encoding) == ids
    byte_of = np.cumsum([0, *(len(character.encode()) for character in text)])
    assert [(int(byte_of[start]), int(byte_of[end])) for start, end in spans[1:-1]] == list(
        zip(encoding.starts[1:-1].tolist(), encoding.ends[1:-1].tolist(), strict=True)
    )
    assert encoding.starts[[0, -1]].tolist() == encoding.ends[[0, -1]].tolist() == [0, len(text.encode())]


@of_every_kind
def test_special_tokens_count_only_when_allowed(kind):
    tokenizer = tokenizer_of(kind)
    for special, token_id in list(tokenizer.special_tokens.items())[:20]:
        entry = tokenizer.vocabulary.entry(token_id)
        assert (entry.raw, entry.spelled, entry.rank) == (special.encode(), special, None)
        is_unknown = special == UNKNOWN.get(kind, "[UNK]")
        assert entry.kind == ("unknown" if is_unknown else "special")
        assert is_unknown or token_id not in own_ids(tokenizer.encode(f"a{special}b"))
    if kind == "wordpieces":
        return  # it honours none in a text
    for special, token_id in list(tokenizer.special_tokens.items())[-20:]:
        cut = check_segments(tokenizer, f"a{special}b", frozenset({special}))
        if special not in SPECIAL:
            found = [token for token in cut.tokens if token.id == token_id]
            covered = [cut.text[token.char_start : token.char_end] for token in found]
            assert covered == [special] or (special in covered and special == UNKNOWN.get(kind))
            assert {token.raw for token in found} == {special.encode()}


# ---- vocabularies


def some_ids(vocabulary):
    """Return the first, the last and a few hundred other ids: o200k has 200,000, and characters a million."""
    ids = vocabulary.ids
    return np.unique(np.concatenate([ids[:300], ids[-60:], ids[:: max(1, len(ids) // 300)]]))


@of_every_kind
def test_a_vocabulary_knows_its_tokens(kind):
    vocabulary = tokenizer_of(kind).vocabulary
    ids = vocabulary.ids
    assert len(vocabulary) == len(ids) == len(np.unique(ids)) == len(vocabulary.ranks)
    assert vocabulary.n_vocab == int(ids.max()) + 1
    assert np.array_equal(vocabulary.positions_of(ids), np.arange(len(ids)))
    some = some_ids(vocabulary)
    entries = [vocabulary.entry(token_id) for token_id in some.tolist()]
    assert [entry.id for entry in entries] == some.tolist()
    assert [entry.raw for entry in entries] == list(vocabulary.raws_of(some))
    assert [len(entry.raw) for entry in entries] == vocabulary.n_bytes_of(some).tolist()
    ranks = vocabulary.ranks[vocabulary.positions_of(some)].tolist()
    assert [-1 if entry.rank is None else entry.rank for entry in entries] == ranks
    for entry in entries:
        assert vocabulary.raw_of(entry.id) == entry.raw
        found = vocabulary.ids_of(entry.raw)
        assert entry.id in found
        assert list(found) == sorted(found)
        assert all(vocabulary.raw_of(other) == entry.raw for other in found if other != entry.id)
        assert entry.kind != "byte" or len(entry.raw) == 1
    assert vocabulary.ids_of(b"\xff no token has such bytes") == ()
    assert vocabulary.positions_of(ids[:0]).tolist() == vocabulary.n_bytes_of(ids[:0]).tolist() == []


@of_every_kind
def test_unknown_ids_are_named(kind):
    tokenizer = tokenizer_of(kind)
    vocabulary = tokenizer.vocabulary
    for wrong in (-1, 2**31 + 9, 2**32 - 1, 2**32, 10**30):
        for ask in (vocabulary.entry, vocabulary.raw_of, lambda token_id: tokenizer.decode([token_id])):
            with pytest.raises(UnknownTokenError, match=f"has no token {wrong}; its ids are"):
                ask(wrong)
        if 0 <= wrong < 2**32:
            for ask_many in (vocabulary.positions_of, vocabulary.raws_of, vocabulary.n_bytes_of):
                with pytest.raises(UnknownTokenError, match=f"has no token {wrong}"):
                    ask_many(np.array([*vocabulary.ids[:2].tolist(), wrong], np.uint32))


def test_an_id_past_the_last_or_in_a_gap_is_named_with_the_range():
    gpt2, cl100k = (get_tokenizer(name).vocabulary for name in ("gpt2", "cl100k_base"))
    with pytest.raises(UnknownTokenError, match=r"gpt2 has no token 50257; its ids are 0 to 50,256$"):
        gpt2.raw_of(50257)
    with pytest.raises(UnknownTokenError, match="no token 100256; its ids are 0 to 100,276, with gaps"):
        cl100k.entry(100256)
    with pytest.raises(UnknownTokenError, match="no token 100261"):
        cl100k.n_bytes_of(np.array([5, 100261], np.uint32))
    sparse = TableVocabulary("sparse", [0, 2**31], [b"a", b"b"])
    with pytest.raises(
        UnknownTokenError, match="sparse has no token 7; its ids are 0 to 2,147,483,648, with"
    ):
        sparse.raw_of(7)
    with pytest.raises(UnknownTokenError, match="no token 3; it has none at all"):
        TableVocabulary("empty", [], []).raw_of(3)


def test_two_tokens_with_one_id_are_refused_and_two_names_of_one_special_token_are_not():
    with pytest.raises(ValueError, match="do not have an id each"):
        TableVocabulary("twins", [1, 1], [b"a", b"b"])
    harmony = load_openai("o200k_harmony").vocabulary
    assert harmony.entry(200018).spelled == "<|endofprompt|>"
    assert harmony.ids_of(b"<|reserved_200018|>") == (200018,)
    assert len(harmony) == len(load_openai("o200k_harmony").mergeable_ranks) + len(
        set(load_openai("o200k_harmony").special_tokens.values())
    )


@pytest.mark.parametrize("make", [trained_by_rank, trained_by_pair])
def test_byte_level_tokens_are_spelled_as_in_tokenizers(make):
    tokenizer = make()
    (document,) = write_tokenizer_json(tokenizer.model, "x").values()
    loaded = tokenizers.Tokenizer.from_str(document)
    spelled = {token_id: tokenizer.vocabulary.entry(token_id).spelled for token_id in range(901)
               if token_id in tokenizer.vocabulary.ids}  # fmt: skip
    assert spelled == {token_id: token for token, token_id in loaded.get_vocab().items()}


def test_scores_and_ranks_follow_their_tokens_into_the_order_of_ids():
    vocabulary = TableVocabulary(
        "toy", [9, 3], [b"b", b"a"], ranks=[0, 1], scores=[-0.5, -1.5], special_tokens={"<s>": 5}
    )
    entries = [vocabulary.entry(token_id) for token_id in (3, 5, 9)]
    assert [(entry.raw, entry.rank) for entry in entries] == [(b"a", 1), (b"<s>", None), (b"b", 0)]
    assert [entry.score for entry in entries] == [-1.5, None, -0.5]


# ---- the program of each in the public library

PROGRAM_TEXTS = ["Hello <|end|> xabc abab Unaffable!", CORPUS, ""]
PROGRAMS = ["cl100k_base", "r50k_base", "python_docs_4k", "utf8_bytes", "characters", "trained, by rank",
            "trained, by pair", "qwen3", "deepseek_v3", "mistral_v1", "bert_uncased",
            "cl100k_base with special tokens", "wordpieces", "opened, bpe, bytes", "opened, like RoBERTa",
            "opened, vocab.txt", "words, others <unk>"]  # fmt: skip


def fill_cache(directory):
    """Fill tiktoken's cache, so that it downloads nothing; a file is named by the SHA-1 of its address."""
    base = "https://openaipublic.blob.core.windows.net/encodings/"
    ranks = load_openai("r50k_base").mergeable_ranks
    r50k = b"".join(base64.b64encode(raw) + b" %d\n" % rank for raw, rank in ranks.items())
    for name, data in (("cl100k_base", read_vocabulary("cl100k_base.tiktoken.gz")), ("r50k_base", r50k)):
        (directory / hashlib.sha1(f"{base}{name}.tiktoken".encode()).hexdigest()).write_bytes(data)


def test_the_program_of_each_prints_its_ids_and_their_text(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    fill_cache(cache)
    for trained, entry in ((trained_by_rank(), "tiktoken"), (trained_by_pair(), "tokenizer.json")):
        for file_name, text in FILE_FORMATS[entry].write(trained.model, trained.name).items():
            (tmp_path / file_name).write_text(text)
    (tmp_path / "opened.model").write_bytes(sentencepiece_models.model_bytes("bpe, bytes"))
    (tmp_path / "opened.json").write_bytes(tokenizer_documents.document("like RoBERTa"))
    (tmp_path / "opened.txt").write_bytes(VOCAB_TXT)
    table = learn_table([LEARNED], "words", has_unknown=True)
    (tmp_path / "learned.table.json").write_text(write_table(table), encoding="utf-8")
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "vocabularies").symlink_to(VOCABULARY_DIR)
    lines = ["import json", f"texts = {PROGRAM_TEXTS!r}", "printed = []"]
    for kind in PROGRAMS:
        program = tokenizer_of(kind).python_program()
        lines += [
            f"names = {{}}; exec({program.setup!r}, names)",
            f"encode = eval({'lambda text: ' + program.encode!r}, names)",
            f"decode = eval({'lambda ids: ' + program.decode!r}, names)",
            "printed.append([[encode(text), decode(encode(text))] for text in texts])",
        ]
    lines.append("print(json.dumps(printed))")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=os.environ | {"TIKTOKEN_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for kind, printed in zip(PROGRAMS, json.loads(done.stdout), strict=True):
        tokenizer = tokenizer_of(kind)
        for text, (ids, decoded) in zip(PROGRAM_TEXTS, printed, strict=True):
            assert ids == tokenizer.encode(text), kind
            assert decoded == tokenizer.decode(ids), kind
