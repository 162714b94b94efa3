"""First questions of lessons and the final test: answers recomputed with tiktoken, numpy and Python."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import regex
import yaml

from playground.catalog.openai import load_openai
from playground.core.assets import read_text
from playground.core.errors import InvalidInputError
from playground.formats.example_data import EXAMPLE_DATA
from playground.lessons import final_test, letters, oddities
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


def most_frequent_pair() -> str:
    return "".join(Counter(pairwise("aaabdaaabac")).most_common(1)[0][0])


#: The answer of each lesson whose first question has a number or a name that other code can compute.
ANSWERS = {
    "oddities": lambda: str(oddities.STYLE.count("l")),
    "letters": lambda: str(sum(letter > "q" for letter in letters.ALPHABET)),
    "first-look": lambda: {0: "none"}[
        len(set(GPT2.encode("Egg")) & set(GPT2.encode("egg")) & set(GPT2.encode("EGG")))
    ],
    "bytes": lambda: str(len("안".encode())),
    "attention": lambda: {29: "30 times", 30: "30 times"}[round((8_287 / 1_524) ** 2)],
    "bpe-by-hand": most_frequent_pair,
    "count-and-merge": lambda: str(len("aaa".replace("aa", "Z"))),
    "lowest-rank": lambda: "·".join(GPT2.decode([token]) for token in GPT2.encode("strawberry")),
    "cuts": lambda: {0: "none"}[letters_and_digits()],
    "gpt2-files": lambda: str(n_gpt2(" " * 16 + "word") - 1),
    "special-tokens": lambda: (
        f"{n_gpt2(f'Hello world how are you{END[:-1]}')} become "
        f"{len(GPT2.encode(f'Hello world how are you{END}', allowed_special='all'))}"
    ),
    "vocabulary-size": lambda: f"{100 * (1 - 141_649 / 163_682):.0f} %",
    "new-tokens": lambda: "768",
    "spelling": lambda: str(len(GPT4.encode(".DefaultCellStyle"[::-1]))),
    "languages": lambda: f"{times_english('Burmese'):.0f}",
    "numbers": lambda: str(sum(n_gpt2(str(number)) == 1 for number in range(1_000))),
    "spaces": lambda: {66: "two thirds"}[
        round(100 * np.mean([raw[:1] == b" " for raw in GPT2.token_byte_values()[:50_256]]))
    ],
    "choose": lambda: min(costs := configuration_costs(), key=costs.__getitem__),
    "prompts-edge": lambda: {0: "never"}[Counter(GPT2.encode_ordinary(NOVEL))[220]],
}


@pytest.mark.parametrize("slug", ANSWERS)
def test_the_right_option_of_a_first_question_is_the_computed_one(slug):
    guess = LESSONS[slug].guess
    assert guess.options[guess.right] == ANSWERS[slug]()


def test_the_final_test_asks_with_the_answers_that_other_code_computes():
    right = [one["options"][one["right"]] for one in final_test.questions()]
    tokenizer = GPT2.encode("tokenizer")
    first_of_gpt4 = next(n for n in range(10_000) if len(GPT4.encode(str(n))) > 1)
    assert right == [
        str(letters.ALPHABET.index("z")), str(len("₿".encode())), "no", str(len("aaaaaa") // 2),
        "5", str(len("tokenizer") - len(tokenizer)), "100261", str(first_of_gpt4), "2", str(2 * 2 * 4_096),
    ]  # fmt: skip
    for one in final_test.questions():
        assert len(set(one["options"])) == len(one["options"])
        assert len(f"{one['asks']} {one['because']} {' '.join(one['options'])}".split()) <= 36


def test_choices_of_the_final_test_are_kept_by_question():
    assert final_test.show(("0.2", "9.0")).figure["chosen"] == [2, *[-1] * 8, 0]
    for wrong in ("a", "10.0", "1", "1.-1"):
        with pytest.raises(InvalidInputError, match=r"such as 0\.2"):
            final_test.show((wrong,))
