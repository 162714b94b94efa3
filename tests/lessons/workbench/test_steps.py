"""Our solution of each step passes its tests, and each known mistake fails them and gets its own advice."""

import json
import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.bpe.gpt2_bytes import from_gpt2_characters
from playground.catalog.registry import get_tokenizer
from playground.lessons.workbench import harness
from playground.lessons.workbench.browser_modules import browser_modules, gpt2_files
from playground.lessons.workbench.steps import MILESTONES, ORDER, Step, steps

TEXT = "Déjà vu: 3½ naïve 京都 tests, isn't it?  👋\n"


def ids_of_tiktoken(text: str) -> list[int]:
    return list(get_tokenizer("gpt2").encode(text, allowed_special=frozenset({"<|endoftext|>"})))


def asked(step: Step, code: str, text: str = TEXT) -> dict[str, object]:
    fields = ("solution", "given", "tests", "probes", "mistakes", "figure")
    before = steps()[: ORDER.index(step.slug)]
    return {
        **{field: getattr(step, field) for field in fields},
        "code": code,
        "text": text,
        "before": [{"code": s.solution, "solution": s.solution, "given": s.given} for s in before],
        "tiktoken": [(each, ids_of_tiktoken(each)) for each in (text, *step.texts)],
    }


@pytest.fixture(autouse=True)
def folder_with_files_of_gpt2(tmp_path, monkeypatch):
    for name, content in gpt2_files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.slug)
def test_our_solution_passes_and_draws_and_the_stub_fails_with_advice(step):
    answer = harness.run(asked(step, step.solution))
    assert answer["error"] is None
    assert [test for test in answer["tests"] if not test["is_right"]] == []
    assert len(answer["tests"]) == step.tests.count("def test_")
    assert answer["figure"]
    assert answer["hint"] == ""
    begun = harness.run(asked(step, step.stub))
    assert begun["error"] is None
    assert any(not test["is_right"] for test in begun["tests"])
    assert begun["hint"]


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.slug)
def test_each_known_mistake_fails_a_test_and_gets_its_own_advice(step):
    for advice, wrong in step.mistakes:
        answer = harness.run({**asked(step, f"{step.solution}\n{wrong}"), "figure": ""})
        assert answer["error"] or any(not test["is_right"] for test in answer["tests"]), advice
        assert answer["hint"] == advice


def test_code_with_two_mistakes_gets_the_advice_for_one_of_them_and_other_code_gets_none():
    train = steps()[2]
    two = train.solution.replace("if not counts", "if False").replace(", key=counts.get", "")
    assert harness.run(asked(train, two))["hint"].startswith("You take the largest pair")
    assert harness.run(asked(train, "def train(ids, n_merges):\n    return {7: 7}\n"))["hint"] == ""


def built(n_steps: int) -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    for step in steps()[:n_steps]:
        exec(step.given + step.solution, namespace)
    return namespace


@given(st.binary(max_size=60), st.integers(0, 20), st.binary(max_size=40))
def test_the_solutions_do_what_the_lectures_functions_do(corpus, n_merges, text):
    ours = OF_FIVE_STEPS
    assert list(ours["get_stats"](list(corpus)).items()) == list(lecture.get_stats(corpus).items())
    merges = ours["train"](list(corpus), n_merges)
    assert list(merges.items()) == list(lecture.train([corpus], n_merges).items())
    ids = ours["encode"](list(text), merges)
    assert ids == lecture.encode(text, merges)
    assert ours["decode"](ids, ours["make_vocab"](merges)) == text.decode("utf-8", errors="replace")


OF_FIVE_STEPS: dict[str, Any] = built(5)


def test_an_error_names_the_line_of_the_students_code():
    step = steps()[0]
    failed = harness.run(asked(step, "def get_stats(ids):\n    return idz\n"))["tests"][0]["error"]
    assert failed["message"].startswith("NameError: name 'idz' is not defined")
    assert (failed["line"], failed["where"]) == (2, "")
    assert harness.run(asked(step, "def get_stats(ids:\n    return 1\n"))["error"]["line"] == 1
    comparison = harness.run(asked(step, "def get_stats(ids):\n    print('hi')\n    return {1: 1}\n"))
    assert comparison["printed"] == "hi\n", "as in the first failing test, not in later tests or the figure"
    assert comparison["tests"][0] | {"name": ""} == {
        "name": "",
        "is_right": False,
        "call": "get_stats([1, 2, 3, 1, 2])",
        "got": "{1: 1}",
        "wanted": "{(1, 2): 2, (2, 3): 1, (3, 1): 1}",
    }


def test_the_milestones_have_every_step_once():
    assert tuple(slug for slugs in MILESTONES.values() for slug in slugs) == ORDER


@given(st.text())
def test_the_browsers_stand_in_for_regex_cuts_as_tiktoken_does(text):
    joined = [
        token_id
        for piece in PATTERN.findall(text)
        for token_id in get_tokenizer("gpt2").encode(piece, allowed_special=frozenset())
    ]
    assert "".join(PATTERN.findall(text)) == text
    assert joined == list(get_tokenizer("gpt2").encode(text, allowed_special=frozenset()))


def _stand_in() -> types.ModuleType:
    module = types.ModuleType("regex_stand_in")
    exec(browser_modules()["regex.py"], vars(module))
    return module


PATTERN = _stand_in().compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def test_the_encoder_has_the_bytes_and_ids_of_gpt2():
    encoder = json.loads(gpt2_files()["encoder.json"])
    vocabulary = get_tokenizer("gpt2").vocabulary
    assert len(encoder) == 50257
    assert all(
        vocabulary.raw_of(i) == from_gpt2_characters(token) for token, i in encoder.items() if i != 50256
    )
