"""Files of `tokenizers` of every kind with various parts, made by its own trainers."""

import io
import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import tokenizers
from sentencepiece import SentencePieceTrainer, sentencepiece_model_pb2
from tokenizers import (
    AddedToken,
    Regex,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.files.library_file import LibraryFile

_CORPUS = ["the cat sat on the mat", "that cat; hello world ünï 안녕", "don't  stop, naïve ﬁ café"] * 30
_SPECIAL = ["<unk>", "<s>", "</s>"]
_TEMPLATE = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])


def _trained(model: Any, trainer: Any, *, corpus: Sequence[str] = _CORPUS, **parts: Any) -> Any:
    tokenizer: Any = tokenizers.Tokenizer(model)
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    tokenizer.train_from_iterator(corpus, trainer)
    return tokenizer


def _bpe(size: int, **options: Any) -> Any:
    return trainers.BpeTrainer(vocab_size=size, special_tokens=_SPECIAL, show_progress=False, **options)


def _llama_2(corpus: Sequence[str] = _CORPUS, *, of_words: bool = False) -> Any:
    alphabet = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=330, special_tokens=[*_SPECIAL, *alphabet], show_progress=False)
    trained = _trained(
        models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True), trainer,
        normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        decoder=decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        ),
        post_processor=_TEMPLATE, corpus=corpus,
        pre_tokenizer=pre_tokenizers.Split("\u2581", "merged_with_next") if of_words else None,
    )  # fmt: skip
    document = json.loads(trained.to_str())
    document["pre_tokenizer"] = None
    document["added_tokens"] = document["added_tokens"][:3]  # the bytes are no special tokens
    return tokenizers.Tokenizer.from_str(json.dumps(document))


def _llama_3() -> Any:
    split = pre_tokenizers.Split(Regex(r"\p{N}{1,3}| ?\p{L}+|\s+|[^\s\p{L}\p{N}]+"), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return _trained(
        models.BPE(ignore_merges=True),
        _bpe(340, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
        pre_tokenizer=pre_tokenizers.Sequence([split, byte_level]),
        decoder=decoders.ByteLevel(),
        post_processor=processors.Sequence([processors.ByteLevel(trim_offsets=True), _TEMPLATE]),
    )


def _llama_3_split() -> Any:
    split = pre_tokenizers.Split(Regex(SPLIT_PATTERNS["llama3"]), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return _trained(
        models.BPE(ignore_merges=True),
        _bpe(400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
        pre_tokenizer=pre_tokenizers.Sequence([split, byte_level]),
        decoder=decoders.ByteLevel(),
    )


def _roberta() -> Any:
    trained = _trained(
        models.BPE(),
        _bpe(340, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=True),
        normalizer=normalizers.NFC(),
        decoder=decoders.ByteLevel(),
        post_processor=processors.RobertaProcessing(("</s>", 2), ("<s>", 1)),
    )
    trained.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    trained.add_tokens(["mat"])
    return trained


def _bert() -> Any:
    trainer = trainers.WordPieceTrainer(vocab_size=70, special_tokens=["[UNK]", "[CLS]"], show_progress=False)
    trained = _trained(
        models.WordPiece(unk_token="[UNK]"),
        trainer,
        normalizer=normalizers.BertNormalizer(),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        decoder=decoders.WordPiece(),
    )
    trained.enable_truncation(6)
    trained.enable_padding(length=9, pad_token="[UNK]")
    return trained


def _t5() -> Any:
    trainer = trainers.UnigramTrainer(
        vocab_size=60, unk_token="<unk>", special_tokens=_SPECIAL, show_progress=False
    )
    trained = _trained(
        models.Unigram(),
        trainer,
        normalizer=normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]),
        pre_tokenizer=pre_tokenizers.Metaspace(),
        decoder=decoders.Metaspace(),
        post_processor=_TEMPLATE,
    )
    trained.add_tokens(["<extra_id_0>", "mat", AddedToken("hello", single_word=True)])
    return trained


def _clip() -> Any:
    return _trained(
        models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
        _bpe(90, end_of_word_suffix="</w>"),
        normalizer=normalizers.Sequence(
            [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
        ),
        pre_tokenizer=pre_tokenizers.Whitespace(),
        decoder=decoders.BPEDecoder(suffix="</w>"),
    )


def _prefixed() -> Any:
    return _trained(
        models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=False),
        _bpe(90, continuing_subword_prefix="##"),
        pre_tokenizer=pre_tokenizers.Whitespace(),
    )


def _fused() -> Any:
    return _trained(
        models.BPE(unk_token="<unk>", fuse_unk=True, ignore_merges=True, end_of_word_suffix="</w>"),
        _bpe(80, end_of_word_suffix="</w>", limit_alphabet=12),
        pre_tokenizer=pre_tokenizers.Metaspace(),
    )


def _dropping() -> Any:
    return _trained(models.BPE(), _bpe(60, limit_alphabet=10), pre_tokenizer=pre_tokenizers.Whitespace())


def _table_of_words(**parts: Any) -> Any:
    trainer = trainers.WordLevelTrainer(vocab_size=20, special_tokens=_SPECIAL, show_progress=False)
    return _trained(models.WordLevel(unk_token="<unk>"), trainer, **parts)


def _words() -> Any:
    pattern = pre_tokenizers.Split(Regex("([a-z]+)+|."), "removed", invert=True)
    return _table_of_words(pre_tokenizer=pattern)


def _unigram(**parts: Any) -> Any:
    trainer = trainers.UnigramTrainer(
        vocab_size=60, unk_token="<unk>", special_tokens=_SPECIAL, show_progress=False
    )
    return _trained(models.Unigram(), trainer, **parts)


def _precompiled(rule: str) -> Any:
    """Return SentencePiece's own character map, as in files of models trained with it."""
    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(_CORPUS), model_writer=written, vocab_size=40, minloglevel=2,
        normalization_rule_name=rule, hard_vocab_limit=False,
    )  # fmt: skip
    found: Any = vars(sentencepiece_model_pb2)["ModelProto"].FromString(written.getvalue())
    return normalizers.Precompiled(found.normalizer_spec.precompiled_charsmap)


def _xlm_roberta() -> Any:
    words = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    return _unigram(normalizer=_precompiled("nmt_nfkc"), pre_tokenizer=pre_tokenizers.Sequence(words))


def _albert() -> Any:
    steps = [
        normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(),
        normalizers.Lowercase(), _precompiled("nmt_nfkc_cf"),
    ]  # fmt: skip
    return _unigram(normalizer=normalizers.Sequence(steps), pre_tokenizer=pre_tokenizers.Metaspace())


def _t5_now() -> Any:
    steps = [_precompiled("nmt_nfkc"), normalizers.Replace(Regex(" {2,}"), " ")]
    trained = _unigram(
        normalizer=normalizers.Sequence(steps), pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="first")
    )
    trained.add_tokens(["<extra_id_0>", "mat"])
    return trained


def _unigram_without_prefix() -> Any:
    steps = [normalizers.Nmt(), normalizers.NFKC()]
    space = pre_tokenizers.Metaspace(prepend_scheme="never")
    digits = pre_tokenizers.Digits(individual_digits=True)
    return _unigram(
        normalizer=normalizers.Sequence(steps), pre_tokenizer=pre_tokenizers.Sequence([digits, space])
    )


def _roberta_now() -> Any:
    return _trained(
        models.BPE(),
        _bpe(340, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=True),
        normalizer=normalizers.NFC(),
    )


def _cased_wordpieces() -> Any:
    trainer = trainers.WordPieceTrainer(vocab_size=70, special_tokens=["[UNK]", "[CLS]"], show_progress=False)
    words = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
    return _trained(
        models.WordPiece(unk_token="[UNK]"), trainer, normalizer=normalizers.NFD(),
        pre_tokenizer=pre_tokenizers.Sequence(words),
    )  # fmt: skip


def _known_words() -> Any:
    return _table_of_words(normalizer=normalizers.Lowercase(), pre_tokenizer=pre_tokenizers.Whitespace())


def _added(*tokens: Any) -> Any:
    """Return added tokens that are not special and are found in normalized text."""
    trained = _wordpieces(normalizer=normalizers.Lowercase(), pre_tokenizer=pre_tokenizers.Whitespace())
    trained.add_tokens([*tokens])
    return trained


def _byte_level_added(**parts: Any) -> Any:
    trained = _trained(models.BPE(), _bpe(340, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()), **parts)
    trained.add_tokens(["é t", AddedToken("<user>", normalized=False), "\u2581"])
    return trained


def _wordpieces(n_most: int = 100, prefix: str = "##", **parts: Any) -> Any:
    trainer = trainers.WordPieceTrainer(
        vocab_size=70, special_tokens=["[UNK]"], continuing_subword_prefix=prefix, show_progress=False
    )
    model = models.WordPiece(
        unk_token="[UNK]", max_input_chars_per_word=n_most, continuing_subword_prefix=prefix
    )
    return _trained(model, trainer, **parts)


#: More whose libraries merge nothing, by other options.
WORD_KINDS: dict[str, Callable[[], Any]] = {
    "added tokens in lower case": partial(_added, "CAT", "Don't"),
    "added tokens that take spaces": partial(
        _added, AddedToken("mat", rstrip=True), AddedToken("<user>", lstrip=True, normalized=False)
    ),
    "added tokens, byte-level": partial(
        _byte_level_added, pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False)
    ),
    "added tokens, bytes before cutting": partial(_byte_level_added, normalizer=normalizers.ByteLevel()),
    "WordPiece, accents kept": partial(
        _wordpieces,
        normalizer=normalizers.BertNormalizer(strip_accents=False, handle_chinese_chars=False),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
    ),
    "WordPiece, another prefix": partial(_wordpieces, prefix="@@", pre_tokenizer=pre_tokenizers.Whitespace()),
    "WordPiece, short words": partial(
        _wordpieces, n_most=4, normalizer=normalizers.NFKC(), pre_tokenizer=pre_tokenizers.WhitespaceSplit()
    ),
    "WordPiece, spaces as signs": partial(_wordpieces, pre_tokenizer=pre_tokenizers.Metaspace()),
    "words as BERT has them": partial(
        _table_of_words,
        normalizer=normalizers.BertNormalizer(),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
    ),
    "words and white space": partial(
        _table_of_words, pre_tokenizer=pre_tokenizers.Split(Regex(r"\s+"), "isolated")
    ),
    "words, spaces as signs": partial(_table_of_words, pre_tokenizer=pre_tokenizers.Metaspace()),
    "words and punctuation": partial(
        _table_of_words,
        normalizer=normalizers.NFC(),
        pre_tokenizer=pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits()]
        ),
    ),
}

#: Whose texts may be cut at spaces.
CUT_AT_SPACES: dict[str, Callable[[], Any]] = {
    "like XLM-R": _xlm_roberta,
    "like ALBERT": _albert,
    "like T5, now": _t5_now,
    "Unigram, no space before": _unigram_without_prefix,
    "like RoBERTa, now": _roberta_now,
    "WordPiece, cased": _cased_wordpieces,
    "words, others unknown": _known_words,
    "like CLIP": _clip,
    "BPE, continuations with a prefix": _prefixed,
    "BPE, unknown characters together": _fused,
}

#: Whose texts, each one pretoken, may be cut where their merges join nothing.
CUT_BETWEEN_PAIRS: dict[str, Callable[[], Any]] = {
    "like Llama 2": _llama_2,
    "like Llama 2, of words": partial(_llama_2, of_words=True),
    "like Llama 2, of lines": partial(_llama_2, [f"{line}\n\n- {line}\n\t" for line in _CORPUS]),
}

DOCUMENTS: dict[str, Callable[[], Any]] = {
    "like Llama 2": _llama_2,
    "like Llama 3": _llama_3,
    "like Llama 3 and its split": _llama_3_split,
    "like RoBERTa": _roberta,
    "like BERT": _bert,
    "like T5": _t5,
    "like CLIP": _clip,
    "BPE, continuations with a prefix": _prefixed,
    "BPE, unknown characters together": _fused,
    "BPE that drops unknown characters": _dropping,
    "words, by a pattern of its own": _words,
}


@cache
def document(title: str) -> bytes:
    """Return the tokenizer.json of these parts."""
    text: str = (DOCUMENTS | WORD_KINDS | CUT_AT_SPACES | CUT_BETWEEN_PAIRS)[title]().to_str()
    return text.encode()


@cache
def opened(title: str) -> TokenizerJsonFile:
    """Open the file in the app."""
    return TokenizerJsonFile("opened", LibraryFile.of("tokenizer.json", document(title)))


def library_ids(title: str, *, honours_special: bool = False) -> Callable[[str], list[int]]:
    """Return the library's ids of a whole text."""
    library: Any = tokenizers.Tokenizer.from_str(document(title).decode())
    library.no_truncation()
    library.no_padding()
    library.encode_special_tokens = not honours_special
    return lambda text: list(library.encode(text, add_special_tokens=False).ids)
