"""A tokenizer of every kind, each with the public library's ids for a text."""

from collections.abc import Callable
from functools import cache, partial

import tiktoken
import tokenizers
from sentencepiece import SentencePieceProcessor
from tokenizers import normalizers, pre_tokenizers
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from playground.bpe import lecture
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.baselines import ByteTokenizer, CharacterTokenizer
from playground.catalog.claude import GENERATIONS
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.open_models import OPEN_MODELS
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.recut import recut
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.catalog.shipped_vocabularies import read_vocabulary
from playground.catalog.trained import TrainedTokenizer, load_python_docs
from playground.catalog.word_table import UNKNOWN, WordTableTokenizer, learn_table
from playground.catalog.wordpiece import WordPieceTokenizer
from playground.core.tokenizer import Tokenizer
from playground.files.library_file import LibraryFile
from playground.files.tokenizer_json import write_tokenizer_json
from playground.lessons import words as words_lesson
from tests.catalog import sentencepiece_models, tokenizer_documents
from tests.wordpieces import SPECIAL, Wordpieces, oracle

LEARNED = "The cat sat -- on the mat; don't. ünï 안녕 x"
CORPUS = "the cat sat on the mat, that cat; 안녕하세요 안녕 🙂🙂 don't  DON'T 12345\n\n  x\r\n" * 2
#: By rank "xabc" is one token; by its pairs "ab" merges first and then nothing.
PAIRS = ((97, 98, 256), (120, 97, 257), (98, 99, 258), (257, 258, 259), (256, 256, 260), (32, 97, 261))
#: A list of pieces as a person has it.
VOCAB_TXT = read_vocabulary("bert_uncased.txt.gz")
OWN_SPECIAL = ("<user>", "a b", "안녕")

#: Split patterns as the files of open models have them, one or several in sequence.
PUBLISHED_PATTERNS = {
    "qwen3": [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "deepseek_v3": [
        r"\p{N}{1,3}",
        "[一-龥\u3040-ゟ゠-ヿ]+",
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    ],
    "mistral_tekken": [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "kimi_k2": [
        r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ],
    "whisper": [r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
    **{
        name: [
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
            r"|\s*[\r\n]+|\s+(?!\S)|\s+"
        ]
        for name in ("glm4", "phi4", "olmo2")
    },
}

#: Of the catalog, those without a library that gives ids.
CLAUDE = tuple(GENERATIONS)
#: Of the catalog, those that `sentencepiece` runs.
SENTENCEPIECE = ("mistral_v1", "mistral_v3", "gemma_4")
#: Of the catalog, those whose tokens always join to the text as it was typed.
TILING = [name for name in TOKENIZERS if name not in ("qwen3", "bert_uncased", *SENTENCEPIECE, *CLAUDE)]

Encode = Callable[[str], list[int]]


@cache
def trained_by_rank() -> TrainedTokenizer:
    pattern = SplitPattern.named("cl100k")
    pretokens = [pretoken.encode() for pretoken, _ in iter_pretokens(CORPUS, pattern)]
    merges = tuple((*pair, new_id) for pair, new_id in lecture.train(pretokens, 60).items())
    tokenizer = TrainedTokenizer("by-rank", BpeModel(pattern, merges, {"<|end|>": 400}))
    assert tokenizer.is_exact_in_tiktoken
    return tokenizer


@cache
def trained_by_pair() -> TrainedTokenizer:
    tokenizer = TrainedTokenizer("by-pair", BpeModel(SplitPattern.named("gpt2"), PAIRS, {"<|end|>": 900}))
    assert not tokenizer.is_exact_in_tiktoken
    return tokenizer


def _in_tiktoken(name: str) -> Encode:
    return load_openai(name).encoding.encode_ordinary


def _without_digits() -> Encode:
    """Encode with GPT-2's tokens and a pattern in which digits have no alternative of their own."""
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+|\p{N}+"
    ranks = load_openai("gpt2").mergeable_ranks
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={})
    return encoding.encode_ordinary


def _as_published(name: str) -> Encode:
    """Cut with `tokenizers` and the published patterns, and merge each piece with tiktoken's engine."""
    splits = [
        pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated") for pattern in PUBLISHED_PATTERNS[name]
    ]
    cut = pre_tokenizers.Sequence(splits)
    normalize = normalizers.NFC().normalize_str if OPEN_MODELS[name].is_nfc else str
    tokenizer = get_tokenizer(name)
    ranked = tokenizer.base if isinstance(tokenizer, NormalizedTokenizer) else tokenizer
    assert isinstance(ranked, RankedTokenizer)
    merge = ranked.encoding._core_bpe.encode_single_piece

    def encode(text: str) -> list[int]:
        pieces = cut.pre_tokenize_str(normalize(text))
        return [token_id for piece, _place in pieces for token_id in merge(piece.encode())]

    return encode


def _in_sentencepiece(name: str) -> Encode:
    """Return the library's ids, without a lone space that it puts before the text, which covers nothing."""
    has_prefix = name.startswith("mistral")
    processor = SentencePieceProcessor(model_proto=read_vocabulary(f"{name}.model.gz"))

    def encode(text: str) -> list[int]:
        ids: list[int] = processor.encode(text)
        return ids[1:] if has_prefix and ids and processor.id_to_piece(ids[0]) == "\u2581" else ids

    return encode


def _in_bert(text: str) -> list[int]:
    return [token_id for token_id in bert_library().encode(text).ids if token_id not in (101, 102)]


@cache
def bert_library() -> BertWordPieceTokenizer:
    """Return the library's own BERT, which puts [CLS] before a text and [SEP] after it."""
    lines = read_vocabulary("bert_uncased.txt.gz").decode().splitlines()
    return BertWordPieceTokenizer({piece: token_id for token_id, piece in enumerate(lines)})


def _in_tokenizers(tokenizer: TrainedTokenizer) -> Encode:
    (document,) = write_tokenizer_json(tokenizer.model, "x").values()
    loaded = tokenizers.Tokenizer.from_str(document)
    loaded.encode_special_tokens = True
    return lambda text: loaded.encode(text).ids


N_ROWS = len(words_lesson.rows_of(LEARNED)) - 2


def known(text: str) -> dict[str, int]:
    """Return the rows of known words, numbered as in the lesson."""
    return dict([*words_lesson.rows_of(text).items()][:-2])


def _rows_of(rows: dict[str, int], text: str) -> list[int]:
    return [rows[word] for word in words_lesson.words_of(text) if word in rows]


def _bytes_of(text: str) -> list[int]:
    return list(text.encode())


def _wordpieces_of(text: str) -> list[int]:
    return [token_id for token_id in oracle(text)[0] if token_id not in (SPECIAL["[CLS]"], SPECIAL["[SEP]"])]


#: By name, how to load a tokenizer, and how to load the library that gives its ids but for inserted ones. Of
#: the catalog each one is here, or tests/catalog/test_contract.py fails.
KINDS: dict[str, tuple[Callable[[], Tokenizer], Callable[[], Encode]]] = {
    **{name: (TOKENIZERS[name], partial(_in_tiktoken, name)) for name in encoding_names()},
    **{name: (partial(get_tokenizer, name), partial(_as_published, name)) for name in OPEN_MODELS},
    **{name: (partial(get_tokenizer, name), partial(_in_sentencepiece, name)) for name in SENTENCEPIECE},
    **{name: (partial(get_tokenizer, name), lambda: lambda _text: []) for name in CLAUDE},
    "bert_uncased": (partial(get_tokenizer, "bert_uncased"), lambda: _in_bert),
    "python_docs_4k": (load_python_docs, lambda: _in_tokenizers(load_python_docs())),
    "utf8_bytes": (ByteTokenizer, lambda: _bytes_of),
    "characters": (CharacterTokenizer, lambda: lambda text: list(map(ord, text))),
    "trained, by rank": (trained_by_rank, lambda: _in_tokenizers(trained_by_rank())),
    "trained, by pair": (trained_by_pair, lambda: _in_tokenizers(trained_by_pair())),
    "cl100k_base with special tokens": (
        lambda: with_own_special_tokens(load_openai("cl100k_base"), OWN_SPECIAL),
        partial(_in_tiktoken, "cl100k_base"),
    ),
    "gpt2, digits off": (lambda: recut(get_tokenizer("gpt2"), "", [2]), _without_digits),
    "bytes with special tokens": (
        lambda: with_own_special_tokens(ByteTokenizer(), OWN_SPECIAL),
        lambda: _bytes_of,
    ),
    **{
        f"opened, {title}": (
            partial(sentencepiece_models.opened, title),
            partial(sentencepiece_models.library_ids, title),
        )
        for title in ("unigram, nmt_nfkc, symbols", "bpe, bytes")
    },
    **{
        f"opened, {title}": (
            partial(tokenizer_documents.opened, title),
            partial(tokenizer_documents.library_ids, title),
        )
        for title in ("like RoBERTa", "like Llama 2")
    },
    "opened, vocab.txt": (
        lambda: WordPieceTokenizer("opened", LibraryFile.of("vocab.txt", VOCAB_TXT)),
        lambda: _in_bert,
    ),
    "words": (
        lambda: WordTableTokenizer("learned", learn_table([LEARNED], "words")),
        lambda: partial(_rows_of, known(LEARNED)),
    ),
    "words, others <unk>": (
        lambda: WordTableTokenizer("learned", learn_table([LEARNED], "words", has_unknown=True)),
        lambda: partial(words_lesson.encode_or_unknown, rows=known(LEARNED) | {UNKNOWN: N_ROWS + 1}),
    ),
    "learned characters": (
        lambda: WordTableTokenizer("learned", learn_table([LEARNED], "characters")),
        lambda: lambda text: [sorted(set(LEARNED)).index(c) for c in text if c in LEARNED],
    ),
    "wordpieces": (Wordpieces, lambda: _wordpieces_of),
    "wordpieces with special tokens": (
        lambda: with_own_special_tokens(Wordpieces(), OWN_SPECIAL),
        lambda: _wordpieces_of,
    ),
}


@cache
def tokenizer_of(kind: str) -> Tokenizer:
    return KINDS[kind][0]()


@cache
def library_of(kind: str) -> Encode:
    return KINDS[kind][1]()
