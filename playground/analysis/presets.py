"""Texts to compare tokenizers on, our own, each with the lecture's point and why it is so."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """A text and what it shows, in one or two sentences."""

    title: str
    text: str
    why: str


#: The first one opens the page.
PRESETS: tuple[Preset, ...] = (
    Preset(
        "English prose",
        "The tokenizer reads the sentence before the model does. Where it cuts decides what the model "
        "can see: whole words that are common, pieces of those that are not, such as tokenization.",
        "Common English words are one token everywhere: all vocabularies were trained mostly on English.",
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
        "GPT-2 spends a token on nearly every space of an indent; later patterns and vocabularies take "
        "the whole run at once.",
    ),
    Preset(
        "JSON",
        '{\n  "user": {"id": 10482, "name": "Asha Gurung", "active": true},\n'
        '  "tags": ["maps", "hiking"],\n  "scores": [9.5, 8.75, 10]\n}\n',
        'Quotes, colons and brackets cost tokens. Later vocabularies know pairs such as ": and "], '
        "which stand often in code.",
    ),
    Preset(
        "Arithmetic",
        "127 + 677 = 804\n1275 + 6773 = 8041\n12753 - 6773 = 5980\n",
        "GPT-2 cuts a number wherever its merges happen to; cl100k and later cut it in threes from the left, "
        "so columns of digits still do not line up.",
    ),
    Preset(
        "Long numbers",
        "3.14159265358979323846264338327950288\n1000000 10000000 100000000\n2026-11-21T14:05:59Z\n",
        "The pattern of cl100k lets at most three digits into a pretoken, so no long number is one token.",
    ),
    Preset(
        "URL and base64",
        "https://maps.example.org/trails?from=27.7172,85.3240&zoom=14#day-2\n"
        "dGhlIHRva2VuaXplciBjYW5ub3QgcmVhZCBiYXNlNjQ=\n",
        "Text that no one says aloud has few frequent pairs: base64 falls into scraps of a few letters.",
    ),
    Preset(
        "Emoji",
        "👋 👋🏽 👨‍👩‍👧 🇳🇵 ❤️ 🧑🏾‍🚀\n",
        "One picture is up to a dozen tokens: skin tones, joiners and flags are characters of their own, "
        "and each is three or four bytes.",
    ),
    Preset(
        "A chat",
        "<|im_start|>system\nYou are a helpful assistant<|im_end|>\n<|im_start|>user\n"
        "How many letters r are in strawberry?<|im_end|>\n<|im_start|>assistant\n",
        "Typed as text, the marks of a chat are ordinary tokens and not the special ones, so they cost more "
        "and end nothing.",
    ),
)
