"""Our solutions get the certificate of Build, wrong tokenizers do not, and hints say what is certain."""

import hashlib
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
from playground.lessons.workbench.certificate import check
from playground.lessons.workbench.steps import MILESTONES, ORDER, steps
from playground.shell.main import main

# ruff: noqa: E501 - code in strings
#: Wrong tokenizers that once got the certificate, or are natural mistakes, by step.
WRONG = {
    "get_stats": [
        "def get_stats(ids):\n    return {}\ndef test_each_pair_of_neighbours_is_counted():\n    pass\n",
        "def get_stats(ids):\n    return {pair: 1 for pair in zip(ids, ids[1:])}",
        "class Any(dict):\n    __eq__ = lambda *_: True\ndef get_stats(ids):\n    return Any()",
        "len = sum = list = lambda *_: []\ndef get_stats(ids):\n    return {}",
    ],
    "merge": [
        "def merge(ids, pair, new_id):\n    return [new_id if p == pair else p[0] for p in zip(ids, ids[1:])] + ids[-1:]",
        "def merge(ids, pair, new_id):\n    for i in range(len(ids) - 1):\n        if (ids[i], ids[i + 1]) == pair:\n"
        "            ids[i : i + 2] = [new_id]\n    return ids",
    ],
    "train": [
        "def train(ids, n):\n    counts = get_stats(ids)\n"
        "    return {p: 256 + i for i, p in enumerate(sorted(counts, key=counts.get, reverse=True)[:n])}",
    ],
    "decode": [
        "def make_vocab(merges):\n    return {i: bytes([i]) for i in range(256)} | {n: bytes(p) for p, n in merges.items()"
        " if max(p) < 256}",
        "def decode(ids, vocab):\n    return ''.join(vocab[i].decode(errors='replace') for i in ids)",
    ],
    "encode": [
        "def encode(ids, merges):\n    while known := [p for p in get_stats(ids) if p in merges]:\n"
        "        ids = merge(ids, known[0], merges[known[0]])\n    return ids",
    ],
    "split": [
        r"""PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}{1,4}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")""",
        r"""PATTERN = regex.compile(r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")""",
        r"""PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")""",
        r"""PATTERN = regex.compile(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")""",
        r"""PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+")""",
        r"""PATTERN = regex.compile(r"['’](?:[stmd]|re|ve|ll)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")""",
        r"""PATTERN = regex.compile(r"'[sS]|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")""",
        "import unicodedata\ndef split(text):\n    return PATTERN.findall(unicodedata.normalize('NFC', text))",
    ],
    "special_tokens": [
        "def encode_special(text, merges, special, byte_ids=range(256)):\n    return encode_text(text, merges, byte_ids)",
    ],
    "gpt2_files": [
        "our_load = load_gpt2\ndef load_gpt2(vocab_bpe, encoder):\n    byte_ids, merges, _ = our_load(vocab_bpe, encoder)\n"
        "    return byte_ids, merges, {i: t.replace('Ġ', ' ').encode() for t, i in encoder.items()}",
    ],
    "equals_tiktoken": [
        "def gpt2_encode(text):\n    return tiktoken_encode(text)",
        "def encode(ids, merges):\n    for _ in range(20):\n        known = [p for p in get_stats(ids) if p in merges]\n"
        "        if known:\n            ids = merge(ids, pair := min(known, key=merges.get), merges[pair])\n    return ids",
        "def gpt2_encode(text):\n    return encode_text(text, MERGES, BYTE_IDS)",
        "def gpt2_decode(ids):\n    return ''.join(VOCAB[i].decode(errors='ignore') for i in ids)",
    ],
}


def project(**replaced: str) -> str:
    """Return a whole tokenizer.py: our solutions, with more code after some steps."""
    return "\n".join(
        f"# {number} · {step.title}\n{step.given}{step.solution}{replaced.get(step.slug, '')}\n"
        for number, step in enumerate(steps(), start=1)
    )


def test_our_solutions_get_the_certificate():
    checked = check(project())
    assert checked.failures == ()
    assert checked.n_milestones == len(MILESTONES)
    assert checked.n_tests == sum(step.tests.count("def test_") for step in steps())
    assert checked.n_cases > 200
    assert checked.ours == tuple(range(1, len(ORDER) + 1))


@pytest.mark.parametrize(("slug", "code"), [(slug, code) for slug, codes in WRONG.items() for code in codes])
def test_a_wrong_tokenizer_gets_no_certificate(slug, code):
    checked = check(project(**{slug: code}))
    assert checked.n_milestones < len(MILESTONES)
    assert any(failure.startswith(f"step {ORDER.index(slug) + 1}, ") for failure in checked.failures)


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.slug)
def test_a_stub_fails_and_a_solution_draws(step, tmp_path, monkeypatch):
    for name, content in gpt2_files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    before = [{"code": each.solution, "given": each.given} for each in steps()[: ORDER.index(step.slug)]]
    names = [name for each in steps() for name in each.names]
    asked = {"before": before, "given": step.given, "tests": step.tests, "names": names, "text": "Déjà vu 👋"}
    assert harness.run({**asked, "code": step.solution, "figure": step.figure})["figure"]
    assert not all(test["is_right"] for test in harness.run({**asked, "code": step.stub})["tests"])


RETURN_IN_LOOP = (
    "def f(ids):\n    made = []\n    for i in ids:\n        made.append(i)\n        return made\n"
)


@pytest.mark.parametrize(
    ("got", "wanted", "code", "words"),
    [
        (None, [1], "def f(ids):\n    made = []\n", "`f` has no `return`"),
        ([1], [1, 2], RETURN_IN_LOOP, "1 item too few. The `return` is in the loop"),
        ([1, 2, 3], [1, 2], "", "1 item too many at the end"),
        ([2, 3], [1, 2, 3], "", "The beginning is missing"),
        ([[1], [2]], [1, 2], "", "`extend`"),
        ((1, 2), [1, 2], "", "a tuple; expected a list"),
        ("[1]", [1], "", "text (str); expected a list"),
        ([2, 1], [1, 2], "", "another order"),
        ([257, 258], [256, 257], "", "1 too high"),
        ({256: (1, 2)}, {(1, 2): 256}, "", "swapped"),
        ([5, 9], [1, 2], "", ""),
        ([5], [1], "def f(ids, pair):\n    return [ids[:2] == pair]\n", "no list equals a tuple"),
        ([5], [1], "def f(ids):\n    merge(ids, (1, 2), 3)\n    return ids\n", "assign it to a name"),
        ([5], [1], "def f(ids):\n    return [max(ids)]\n", "key=d.get"),
        ("é", "e", "def f(ids):\n    return ''.join(i.decode() for i in ids)\n", "then decode once"),
        ([5], [1], "def f(ids, byte_ids=()):\n    return ids\n", "`f` never uses `byte_ids`"),
    ],
)  # fmt: skip
def test_a_hint_says_only_what_is_certain(got, wanted, code, words):
    hint = harness.advice(got, wanted, code, "f([1])")
    assert words in hint
    assert bool(hint) == bool(words)


def test_a_certificate_is_read_and_a_changed_one_is_noticed(tmp_path, capsys):
    code = project(split=WRONG["split"][0])
    digest = hashlib.sha256(code.encode()).hexdigest()
    text = (
        f"Tessera certificate\nName: Ada\nDate: 2026-11-28\nSHA-256: {digest}\n--- tokenizer.py ---\n{code}"
    )
    path = tmp_path / "certificate.txt"
    path.write_text(text, encoding="utf-8")
    assert main(["verify", str(path)]) == 1
    said = capsys.readouterr().out
    assert "Ada, 2026-11-28: 2 of 4 milestones" in said
    assert "step 6, Split before merging: split(" in said
    assert "was changed" not in said
    path.write_text(text.replace("# 1 ·", "# 1  ·"), encoding="utf-8")
    assert main(["verify", str(path), str(tmp_path / "none.txt")]) == 1
    assert "was changed after" in capsys.readouterr().out


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

    def run(code):
        return harness.run({"code": code, "tests": step.tests, "names": step.names})

    failed = run("def get_stats(ids):\n    return idz\n")["tests"][0]["error"]
    assert failed["message"].startswith("NameError: name 'idz' is not defined")
    assert (failed["line"], failed["where"]) == (2, "")
    assert run("def get_stats(ids:\n    return 1\n")["error"]["line"] == 1
    comparison = run("def get_stats(ids):\n    print('hi')\n    return {1: 1}\n")
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
