"""Prose that happens to be valid YAML leads to a question, and data does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.core.errors import DataSyntaxError, LooksLikeProseError
from playground.formats.reading import read_document

PROSE = {
    "a sentence": "Dear Ada: I hope you are well.",
    "no key": "Dear all, see you at noon.",
    "a letter that YAML refuses": "Dear team,\n\nnote: it is late.\nThanks for all",
    "a letter with a comma in each line": (
        "Dear Anna,\nthank you for the letter, it came today.\nWe walked home, and it was late.\n"
        "See you soon, I hope that it is warm."
    ),
    "a dialogue": (
        "Romeo: But soft, what light through yonder window breaks?\n"
        "Juliet: O Romeo, Romeo, wherefore art thou Romeo?"
    ),
    "a dialogue that YAML refuses": (
        "Ada: He said: it is late and we go home.\nBob: She said: it is early and we stay."
    ),
    "short replies": "Ada: Are you coming with us to the sea?\nBob: Yes.\nEve: When do we have to leave?",
    "a list to do with a short item": "- buy milk and bread on the way\n- read\n- write to Ada about it",
    "a list to do with a name": "- Ada: call mother, because she is ill\n- write to Bob about the new book",
    "tasks below a heading": "# To do\n\n- [ ] buy milk and bread on the way\n- [x] call mother, she is ill",
    "short items with stars": "* milk\n* bread\n* cheese",
    "a quotation": "> I hope\n> you are well",
    "minutes": "10:30 Ada: we begin with what is new.\n11:00 Bob: we talk about money, again.",
    "a text with commands": "Ada: use `git-add` with -p for all of them.\nBob: then `git-push` and be done.",
    "a text that YAML refuses behind a name": "bpo-1: the text is drawn.\nIt was lost before,\nnow and then.",
    "parts": "The first part of a text.\n\n---\n\nAnd the second part of it.",
    "German, quotes": "Anna: Er sagte „nein“ und ging nach Hause.\nOtto: Das war nicht klug von ihm.",
    "French, an apostrophe": "Jean-Luc: l’homme s’en va-t-il d’ici ?\nAnne: je n’en sais rien du tout.",
    "Russian": "Анна: я надеюсь, что у тебя всё хорошо.\nИван: позвони мне, когда сможешь.",
    "Korean": "로미오: 저 창문에서 새어 나오는 빛은 무엇일까?\n줄리엣: 그대는 왜 이름이 로미오인가요?",
}

WORKFLOW = """\
name: Build and test the app on every push
on: [push]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - name: Check out the code of this branch
        uses: actions/checkout@v4
      - run: pip install -r requirements.txt
"""
KUBERNETES = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: welcome
data:
  Greeting: Hello, and welcome to our small shop.
"""
FRONT_MATTER = """\
---
title: What I learned about data and prose
date: 2024-05-01
---
A text in which I say what I learned.
"""

DATA = {
    "a sentence under an identifier": "welcome_message: Hello, and welcome to our small shop, my friend.",
    "camel case": "welcomeText: Hello, and welcome to our shop.\nlogoutText: We hope to see you again soon.",
    "a path for a key": "/login: Here all the users come in first.\n/logout: Here all of them leave again.",
    "one identifier is enough": "Ada: I hope that you are all well.\nname: I hope that you are all well.",
    "a workflow": WORKFLOW,
    "Kubernetes": KUBERNETES,
    "front matter": FRONT_MATTER,
    "a record": "Name: Ada Lovelace\nBorn in: London\nKnown for: the first program of all",
    "a number": "Title: a book about the sea and the land\nPages: 320",
    "nested": "Fruit:\n  Apple: a fruit that is red and sweet.\n  Pear: a fruit that is green and soft.",
    "sentences under a key": "To do: \n- buy milk and bread on the way\n- call mother, because she is ill",
    "short names": "- Ada Lovelace\n- Grace Hopper\n- Alan Turing",
    "titles": "- The Lord of the Rings\n- The Old Man and the Sea\n- Pride and Prejudice",
    "paths": "- /usr/share/doc/all the files/a.txt\n- src/main.py\n- tests/\n- a b/c d/e f/g h",
    "commands": "- pip install -r requirements.txt\n- npm run build --if-present\n- docker build -t app .",
    "a log": "- 12:01 GET /a 200 in 3 ms, 5 kB of 7 kB\n- 12:02 GET /b 200 in 4 ms, 6 kB of 9 kB",
    "records": "- Name: a book about the sea and the land\n  Text: it is about the sea and the land.",
    "a list of lists": "- [a sentence, of some words in a list]\n- [a sentence, of some words in a list]",
    "quoted values": "Ada: 'I hope that you are all well.'\nBob: 'We are all well here, thank you.'",
    "a block": "|\n  I hope that you are all well.\n  We are all well here.",
    "a marked document": "--- I hope that you are all well.",
    "few words": "Hello there, Ada",
}


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_prose_is_asked_about(text):
    with pytest.raises(LooksLikeProseError, match="this looks like prose, not data"):
        read_document(text)


@pytest.mark.parametrize(
    "text",
    [
        "name, remark\nAda, she likes to walk home in the rain\nBob, he does not like it at all",
        "name,remark\nAda,she likes to walk home in the rain\nBob,he does not like it at all",
        "when you came,what you saw there\nit was late at night,all of the stars above",
        ",name\n0,the old man and the sea\n1,she was not there at all",
        "name, town,\nAda Lovelace, New York,\nBob Dylan, Rio de Janeiro,",
        "a,\n1,\n2,",
        "when you came home\tall that you saw\nit was late at night\tall of the stars above",
    ],
)
def test_a_table_of_sentences_is_a_table(text):
    assert read_document(text).input_format == ("TSV" if "\t" in text else "CSV")


@pytest.mark.parametrize("text", DATA.values(), ids=DATA)
def test_data_is_not_asked_about(text):
    assert read_document(text).input_format == "YAML"


def test_the_first_entries_decide():
    with pytest.raises(LooksLikeProseError):
        read_document("- buy milk and bread on the way\n" * 200 + "- 7")


def test_prose_is_read_in_the_format_that_is_named():
    assert read_document(PROSE["a sentence"], "YAML").data == {"Dear Ada": "I hope you are well."}


@pytest.mark.parametrize(
    "text",
    [
        "---\nwe are\nall well: [a",
        "services:\n  web: [a\n  db: b: c",
        "text: |\n  I hope that you are\n  all well, and we\n  are well here too.\nnames: [a",
        "# What follows is about the shop\n# and the people who work in it.\nshop: b: c",
        "name: Build the app\n# it is for all of us\n# who are here with us\n# and for all of you\non: [push",
        "Name: a book about the sea and the land\nPages: 3: 2\nYear: 1815",
        "- name: He said: we are all well.\n- name: She said: we are all well.",
    ],
)
def test_a_fault_in_data_is_reported_as_a_fault(text):
    with pytest.raises(DataSyntaxError):
        read_document(text)


SENTENCES = st.lists(st.sampled_from(["wir", "go", "où", "мы", "so,", "all."]), min_size=4, max_size=9).map(
    " ".join
)


@given(
    st.lists(SENTENCES, min_size=1, max_size=5), st.sampled_from(["Ada: ", "My friend: ", "- ", "- Ada: "])
)
def test_sentences_after_names_or_bullets_are_prose_and_in_an_object_data(sentences, head):
    text = "\n".join(f"{head.replace('Ada', 'Ada' + 'b' * n)}{line}" for n, line in enumerate(sentences))
    with pytest.raises(LooksLikeProseError):
        read_document(text)
    nested = "texts:\n" + "\n".join(f"  {line}" for line in text.splitlines())
    assert read_document(nested).input_format == "YAML"
