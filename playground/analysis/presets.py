"""Texts to compare tokenizers on, our own, each with the lecture's point and why it is so."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """A text and what it shows, in a sentence of Markdown; its test checks each claim."""

    title: str
    text: str
    why: str


#: The first one opens the page.
PRESETS: tuple[Preset, ...] = (
    Preset(
        "English prose",
        "The tokenizer reads the sentence before the model does. Where it cuts decides what the model "
        "can see: whole words that are common, pieces of those that are not, such as tokenization.",
        "In GPT-2 and cl100k every common word is one token with the space before it; a small vocabulary "
        "such as python_docs_4k must spell many of them in pieces.",
    ),
    Preset(
        "Python",
        "def fizz_buzz(limit):\n"
        "    for n in range(1, limit):\n"
        "        if n % 15 == 0:\n"
        '            print("FizzBuzz")\n'
        "        elif n % 5 == 0:\n"
        '            print("Buzz")\n'
        "        else:\n"
        "            print(n)\n",
        "GPT-2 spends a token on every space of an indent but the last, which the word takes; cl100k and "
        "o200k take all but that one at once.",
    ),
    Preset(
        "JSON",
        '{\n  "user": {"id": 10482, "name": "Asha Gurung", "active": true},\n'
        '  "tags": ["maps", "hiking"],\n  "scores": [9.5, 8.75, 10]\n}\n',
        'More than half of the tokens have no letter and no digit: pairs such as `":` are one token even '
        "in GPT-2, and cl100k takes `},` with its line end.",
    ),
    Preset(
        "Arithmetic",
        "127 + 677 = 804\n1275 + 6773 = 8041\n12753 - 6773 = 5980\n",
        "GPT-2 cuts a number where its merges happen to (6·77, 12·753); cl100k and o200k cut it in threes "
        "from the left (677, 127·53), so digits of one place still do not line up.",
    ),
    Preset(
        "Long numbers",
        "3.14159265358979323846264338327950288\n1000000 10000000 100000000\n2026-11-21T14:05:59Z\n",
        "The patterns of cl100k and o200k let at most three digits into a pretoken, so the 35 decimals of "
        "π are twelve tokens; GPT-2 has six zeros as one.",
    ),
    Preset(
        "URL and base64",
        "https://maps.example.org/trails?from=27.7172,85.3240&zoom=14#day-2\n"
        "dGhlIHRva2VuaXplciBjYW5ub3QgcmVhZCBiYXNlNjQ=\n",
        "Text that no one says aloud has few frequent pairs: a token of base64 is under two characters on "
        "average, where one of English prose is over four in GPT-2 and cl100k.",
    ),
    Preset(
        "Emoji",
        "👋 👋🏽 👨‍👩‍👧 🇳🇵 ❤️ 🧑🏾‍🚀\n",
        "The family is 10 tokens in GPT-2, 12 in cl100k and 8 in o200k: three people and two joiners "
        "between them are characters of their own, each of three or four bytes.",
    ),
    Preset(
        "A chat",
        "<|im_start|>system\nYou are a helpful assistant<|im_end|>\n<|im_start|>user\n"
        "How many letters r are in strawberry?<|im_end|>\n<|im_start|>assistant\n",
        "Typed as text, `<|im_start|>` is seven ordinary tokens in GPT-2 and six in cl100k, not one "
        "special token: it costs more and starts nothing.",
    ),
)
