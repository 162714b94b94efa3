"""First questions of lessons: answers recomputed with tiktoken, numpy and Python."""

import io
import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import regex
import sentencepiece
import yaml
from threadpoolctl import threadpool_limits
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from playground.catalog.openai import load_openai
from playground.core.assets import read_text
from playground.formats.example_data import EXAMPLE_DATA
from playground.lessons import oddities
from playground.lessons.registry import LESSONS
from playground.training.parallel_texts import load_parallel_texts

GPT2, GPT4 = load_openai("gpt2").encoding, load_openai("cl100k_base").encoding
NOVEL = read_text("texts/pride_and_prejudice.txt")
END = "<|" + "endoftext" + "|>"


def n_gpt2(text: str) -> int:
    return len(GPT2.encode_ordinary(text))


def times_english(language: str) -> float:
    first = {text.name: text.articles[0] for text in load_parallel_texts()}
    return n_gpt2(first[language]) / n_gpt2(first["English"])


def letters_and_digits() -> int:
    both = regex.compile(r"(?=.*\p{L})(?=.*\p{N})", regex.DOTALL)
    texts = (raw.decode(errors="ignore") for raw in GPT2.token_byte_values())
    return sum(both.match(text) is not None for text in texts)


def configuration_costs() -> dict[str, int]:
    data = yaml.safe_load(EXAMPLE_DATA["Configuration"]())
    written = {
        "indented JSON": json.dumps(data, indent=2, default=str),
        "YAML": yaml.safe_dump(data, sort_keys=False),
        "compact JSON": json.dumps(data, separators=(",", ":"), default=str),
    }
    return {name: len(GPT4.encode_ordinary(text)) for name, text in written.items()}


def trained_by_hugging_face(texts: list[str], pattern: str) -> Tokenizer:
    """Return 1,000 merges of bytes, learned by Hugging Face's library."""
    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(pattern), "isolated")
    letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, letters])
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=1_256, show_progress=False, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def merges_for_half_of_the_savings() -> str:
    """Return the first option after which as many tokens are saved as later merges can still save."""
    text = NOVEL[:24_000]
    whole = trained_by_hugging_face([text], r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
    model = json.loads(whole.to_str())["model"]

    def n_tokens(n_merges: int) -> int:
        some = Tokenizer(
            models.BPE(vocab=model["vocab"], merges=list(map(tuple, model["merges"][:n_merges])))
        )
        some.pre_tokenizer = whole.pre_tokenizer
        return len(some.encode(text).ids)

    most = n_tokens(1_000)
    return next(str(n) for n in (54, 250, 500) if len(text) - n_tokens(n) >= n_tokens(n) - most)


def nearest_to_sister() -> str:
    """Weight counted neighbours by PPMI, find the largest singular vectors by subspace iteration."""
    words = regex.findall(r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)?", NOVEL.casefold())
    row_of = {word: n for n, word in enumerate(w for w, n in Counter(words).items() if n >= 10)}
    near = np.zeros((len(row_of), len(row_of)))
    for distance in (1, 2):
        for a, b in zip(words, words[distance:], strict=False):
            if a in row_of and b in row_of:
                near[row_of[a], row_of[b]] += 1
    near += near.T
    smoothed = near.sum(axis=0) ** 0.75
    weights = np.log(np.maximum(near / np.outer(near.sum(axis=1), smoothed / smoothed.sum()), 1))
    with threadpool_limits(1, user_api="blas"):
        basis = np.random.default_rng(0).normal(size=(len(row_of), 64))
        for _ in range(20):
            basis, _ = np.linalg.qr(weights @ (weights.T @ basis))
        left, sizes, _ = np.linalg.svd(basis.T @ weights, full_matrices=False)
    rows = (basis @ left)[:, :32] * sizes[:32] ** 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows[row_of["sister"]]
    return str(max(set(row_of) - {"sister"}, key=lambda word: float(cosines[row_of[word]])))


def encoding_of_an_unseen_word() -> str:
    rows = {word: row for row, word in enumerate(sorted(set(NOVEL.split())))}
    try:
        return str(rows["Kathmandu"])
    except KeyError:
        return "not at all"


def is_every_byte_a_text() -> str:
    try:
        return bytes([128]).decode() and "yes"
    except UnicodeDecodeError:
        return "no"


def merges_recovered() -> str:
    """Split every 83rd token of GPT-4 by the tokens before it: a merge leaves two parts."""
    ranks = GPT4._mergeable_ranks

    def parts_of(raw: bytes) -> list[bytes]:
        parts = [raw[n : n + 1] for n in range(len(raw))]
        while True:
            found = [(ranks.get(a + b, ranks[raw]), n) for n, (a, b) in enumerate(pairwise(parts))]
            rank, at = min(found)
            if rank == ranks[raw]:
                return parts
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    longer = [raw for raw in ranks if len(raw) > 1]
    return {True: "all of them", False: "only some"}[all(len(parts_of(raw)) == 2 for raw in longer[::83])]


def unseen_character() -> str:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(NOVEL[:5_000].splitlines()), model_writer=model, vocab_size=400,
        model_type="bpe", byte_fallback=True, minloglevel=2,
    )  # fmt: skip
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).encode("안", out_type=str)
    return {"▁<0xEC><0x95><0x88>": "yes, as bytes", "▁<unk>": "only as <unk>"}["".join(pieces)]


def tokens_of_a_picture() -> str:
    """Quantize 16 patches with two and with four random entries."""
    patches = np.random.default_rng(0).normal(size=(16, 3))
    few, many = (
        len(np.argmin(((patches[:, None] - patches[None, :n]) ** 2).sum(axis=2), axis=1)) for n in (2, 4)
    )
    return {1: "none", 2: "twice as many"}[many // few]


def move_of_an_unseen_row() -> str:
    """Train rows and columns to predict the next token by gradient descent, without token 3."""
    tokens, random = [0, 1, 2, 1, 0, 2, 1], np.random.default_rng(0)
    rows, columns = random.normal(size=(4, 5)), random.normal(size=(5, 4))
    before = rows.copy()
    for a, b in [*pairwise(tokens)] * 20:
        scores = np.exp(rows[a] @ columns)
        error = scores / scores.sum() - np.eye(4)[b]
        step, columns = columns @ error, columns - 0.1 * np.outer(rows[a], error)
        rows[a] -= 0.1 * step
    moved = np.linalg.norm(rows - before, axis=1)
    assert moved[:3].min() > 0.1
    return {0.0: "not at all"}[float(moved[3])]


def most_frequent_pair() -> str:
    return "".join(Counter(pairwise("aaabdaaabac")).most_common(1)[0][0])


#: The answer to each first question, computed by other code. Questions of lessons 27 to 31 are checked in
#: `test_other_ways_to_encode`, with their figures.
ANSWERS = {
    "oddities": lambda: str(oddities.STYLE.count("l")),
    "journey": lambda: str(n_gpt2("Hello, tokenizers 👋")),
    "first-look": lambda: {0: "none"}[
        len(set(GPT2.encode("Egg")) & set(GPT2.encode("egg")) & set(GPT2.encode("EGG")))
    ],
    "bytes": lambda: str(len("안".encode())),
    "attention": lambda: {30: "about 30 times"}[round((8_287 / 1_524) ** 2)],
    "bpe-by-hand": most_frequent_pair,
    "count-and-merge": lambda: str(len("aaa".replace("aa", "Z"))),
    "words": encoding_of_an_unseen_word,
    "neighbours": nearest_to_sister,
    "loop": merges_for_half_of_the_savings,
    "back-to-text": is_every_byte_a_text,
    "build-gpt4": merges_recovered,
    "sentencepiece": unseen_character,
    "pictures": tokens_of_a_picture,
    "rows-that-never-move": move_of_an_unseen_row,
    "lowest-rank": lambda: "·".join(GPT2.decode([token]) for token in GPT2.encode("strawberry")),
    "cuts": lambda: {0: "none"}[letters_and_digits()],
    "special-tokens": lambda: (
        f"{n_gpt2(f'Hello world how are you{END[:-1]}')} become "
        f"{len(GPT2.encode(f'Hello world how are you{END}', allowed_special='all'))}"
    ),
    "vocabulary-size": lambda: f"{100 * (1 - 141_649 / 163_682):.0f} %",
    "spelling": lambda: str(len(GPT4.encode(".DefaultCellStyle"[::-1]))),
    "languages": lambda: f"{times_english('Burmese'):.0f}",
    "numbers": lambda: str(sum(n_gpt2(str(number)) == 1 for number in range(1_000))),
    "spaces": lambda: {66: "two thirds"}[
        round(100 * np.mean([raw[:1] == b" " for raw in GPT2.token_byte_values()[:50_256]]))
    ],
    "choose": lambda: min(costs := configuration_costs(), key=costs.__getitem__),
}


def test_every_first_question_is_checked():
    assert [slug for slug in LESSONS if slug not in ANSWERS] == [
        "three-rules", "across-the-space", "who-pays", "no-tokenizer", "many-encodings",
    ]  # fmt: skip


@pytest.mark.parametrize("slug", ANSWERS)
def test_the_right_option_of_a_first_question_is_the_computed_one(slug):
    guess = LESSONS[slug].guess
    assert guess.options[guess.right] == ANSWERS[slug]()
