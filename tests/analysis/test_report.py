"""The report: each figure against a second, naive computation."""

import csv
import io
import json
import math
from collections import Counter
from itertools import product

import pytest

from playground.analysis.language_counts import article_text
from playground.analysis.report import (
    CODE_NAMES,
    FIGURES,
    ReportColumn,
    report_column,
    text_figures,
    tokenizer_figures,
)
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import decode_bytes
from playground.render.report_text import report_csv, report_json, report_markdown
from playground.training.parallel_texts import load_parallel_texts

TEXT = "The naïve übertokenizer counts 1234 अक्षर, e.g. 안녕 and 🙂!\n\tdef f(x): return x1_y\n" * 2
NAMES = ("python_docs_4k", "bert_uncased")


@pytest.fixture(scope="module")
def own():
    return {name: tokenizer_figures(get_tokenizer(name)) for name in NAMES}


@pytest.mark.parametrize("name", ["gpt2", "python_docs_4k"])
def test_figures_of_a_text_equal_those_counted_token_by_token(name):
    tokenizer = get_tokenizer(name)
    raws = [decode_bytes(tokenizer, [token]) for token in tokenizer.encode(TEXT)]
    character = [n for n, each in enumerate(TEXT) for _ in each.encode()]
    places, starts = [], {0}
    for raw in raws:
        first = max(starts)
        places.append(range(first, first + len(raw)))
        starts.add(first + len(raw))
    words, current = [], []
    for n, each in enumerate(TEXT + " "):
        if n < len(TEXT) and (each.isalpha() or each in "्"):
            current.append(n)
        elif current:
            words.append(current)
            current = []
    cut_characters = {character[start] for start in starts if start < len(character)} - {0}
    inside = {character[n] for n in starts if n and n < len(character) and character[n] == character[n - 1]}
    whole = [w for w in words if not set(w[1:]) & cut_characters and not set(w) & inside]
    shares = [n / len(raws) for n in Counter(raws).values()]
    entropy = 1 / (1 - 2.5) * math.log2(sum(share**2.5 for share in shares))
    assert text_figures(tokenizer, TEXT) == pytest.approx(
        {
            "n_tokens": len(raws),
            "bytes_per_token": len(TEXT.encode()) / len(raws),
            "fertility": len(raws) / len(TEXT.split()),
            "renyi_efficiency": entropy / math.log2(len(tokenizer.vocabulary)),
            "vocabulary_used": len(set(raws)) / len(tokenizer.vocabulary),
            "single_character": sum(len({character[n] for n in place}) == 1 for place in places) / len(raws),
            "words_whole": len(whole) / len(words),
        }
    )


def test_figures_of_languages_numbers_and_code_equal_those_counted_one_by_one(own):
    tokenizer = get_tokenizer("python_docs_4k")
    counts = {
        text.code: len(tokenizer.encode(article_text(text.code, None))) for text in load_parallel_texts()
    }
    ratios = [n / counts["eng"] for code, n in counts.items() if code != "eng"]
    differences = sum(abs(a - b) for a, b in product(counts.values(), repeat=2))
    values = own["python_docs_4k"].values
    assert values["parity"] == pytest.approx(sum(ratios) / 38)
    assert values["parity_worst"] == pytest.approx(max(ratios))
    assert values["gini"] == pytest.approx(differences / (2 * 39 * sum(counts.values())))

    def lengths(before: str, text: str) -> tuple[int, ...]:
        raws = [decode_bytes(tokenizer, [token]) for token in tokenizer.encode(before + text)]
        joined, cuts = 0, []
        for raw in raws:
            joined += len(raw)
            cuts.append(joined - len(before))
        return tuple(cut for cut in cuts if 0 < cut < len(text))

    alike = [
        len({lengths(before, name) for before in ("\n", "\nx ", "\n\t", "\nx(", "\nx.")}) == 1
        for name in CODE_NAMES
    ]
    assert values["code_consistent"] == pytest.approx(sum(alike) / len(CODE_NAMES))
    numbers = [*range(1000), *range(1000, 10_000, 9), *range(10_000, 100_000, 90)]
    ways = Counter((len(str(n)), lengths("x ", str(n))) for n in numbers)
    most = [max(n for (n_digits, _), n in ways.items() if n_digits == own) for own in range(1, 6)]
    assert values["numbers_consistent"] == pytest.approx(sum(most) / len(numbers))


def test_an_unknown_word_is_not_kept_whole():
    assert text_figures(get_tokenizer("bert_uncased"), "the 🙂 ꙮꙮꙮ")["words_whole"] == 0.5


def test_json_csv_and_markdown_have_every_figure_of_every_tokenizer(own):
    columns = [report_column(get_tokenizer(name), TEXT, own[name], price=2.0) for name in NAMES]
    n_bytes = len(TEXT.encode())
    document = json.loads(report_json(columns, text_name="mine.txt", n_bytes=n_bytes))
    rows = list(csv.DictReader(io.StringIO(report_csv(columns))))
    markdown = report_markdown(columns, text_name="mine.txt", n_bytes=n_bytes)
    for column, in_json in zip(columns, document["tokenizers"], strict=True):
        assert in_json["values"] == column.values
        assert len(in_json["languages"]) == 39
        written = {row["figure"]: row[column.tokenizer_name] for row in rows}
        assert {name: float(value) if value else None for name, value in written.items()} == column.values
        n_tokens = len(get_tokenizer(column.tokenizer_name).encode(TEXT))
        assert column.values["spend"] == pytest.approx(n_tokens * 2 / 1e6)
    assert all(f"**{figure.title}**" in markdown and figure.source in markdown for figure in FIGURES)
    assert "bert_uncased loses text in" in markdown
    assert "python_docs_4k loses text" not in markdown


def test_an_empty_text_has_no_figures(own):
    column = report_column(get_tokenizer("gpt2"), "", own["python_docs_4k"], price=1.0)
    assert isinstance(column, ReportColumn)
    assert column.values["fertility"] is None
    assert "| Fertility | – |" in report_markdown([column], text_name="x", n_bytes=0)
