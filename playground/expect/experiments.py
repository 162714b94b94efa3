"""The experiments and example texts of the page Expect.

`tests/expect/test_experiments.py` checks every claim of a notice.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Experiment:
    """A text, a second one beside it or places in it where boundaries are forced, and what to notice."""

    title: str
    text: str
    notice: str
    second: str = ""
    cuts: tuple[int, ...] = ()


_JSON = """\
[{"id": 1, "name": "Ada", "city": "London", "active": true},
 {"id": 2, "name": "Alan", "city": "Wilmslow", "active": false},
 {"id": 3, "name": "Grace", "city": "New York", "active": true}]"""
_CSV = """\
id,name,city,active
1,Ada,London,true
2,Alan,Wilmslow,false
3,Grace,New York,true"""
_FOOD = "The food was unbelievable"


def _repeated(token: str) -> str:
    return f'"house" is "house". "table" is "table". "{token}" is "{token}".'


GLITCH_TOKENS = Experiment(
    "Glitch tokens",
    _repeated("ManagementPlaneProtection"),
    "The model was hardly trained on these two tokens. It cannot tell them apart, and does not expect "
    "either of them again, as it does “table”. (SolidGoldMagikarp is five ordinary tokens here.)",
    second=_repeated(" transistorsum"),
)
EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "JSON or CSV",
        _JSON,
        "JSON takes twice the tokens of CSV, but fewer bits: nearly half of its tokens are all but certain, "
        "and you still pay for each of them.",
        second=_CSV,
    ),
    Experiment(
        "A space at the end",
        "The capital of France is",
        "Paris is written with a space before it, “ Paris”, as one token. After a typed space that token is "
        "no longer possible, and the model expects a digit.",
        second="The capital of France is ",
    ),
    Experiment(
        "Half a token",
        'The link is <a href="http',
        "“://” is one token. After a colon that token is no longer possible, so the model hardly expects the "
        "two slashes. Token healing takes the last token back before a model continues a prompt.",
        second='The link is <a href="http:',
    ),
    Experiment(
        "Letter by letter",
        _FOOD,
        "The same letters, cut otherwise: the model has hardly ever seen them so, and expects each far less.",
        cuts=(12, *range(13, len(_FOOD))),
    ),
    GLITCH_TOKENS,
    Experiment(
        "A typo",
        "The quick brwon fox jumps over the lazy dog.",
        "Two letters in the wrong order are other tokens, and surprise the model there and for some words "
        "after.",
        second="The quick brown fox jumps over the lazy dog.",
    ),
)
#: Further texts: title, text, notice. The page opens with the first.
EXAMPLES: tuple[tuple[str, str, str], ...] = (
    (
        "Capitals",
        "The capital of France is Paris. The capital of Germany is Berlin. The capital of Italy is",
        "The first sentence is a surprise, the second follows its pattern. Guess the next token, then see "
        "the model’s guess.",
    ),
    (
        "Code",
        "def fibonacci(n):\n    if n < 2:\n        return n\n"
        "    return fibonacci(n - 1) + fibonacci(n - 2)\n",
        "Most tokens of common code are all but certain.",
    ),
    (
        "Read twice",
        "Zorblat 4417 ate nine purple clocks.\nZorblat 4417 ate nine purple clocks.\n",
        "The second time, the model remembers the sentence: it costs a fraction of the bits.",
    ),
)
