"""Texts to start from, in our own words, each with what to notice.

Every number in a notice is checked by tests/analysis/test_examples.py against the tokenizers.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A text and the one thing to see in it."""

    title: str
    text: str
    notice: str


#: The first one opens the page.
EXAMPLES: tuple[Example, ...] = (
    Example(
        "First look",
        "Tokenization splits unbelievable words.\n"
        "In 2024, 127 + 677 = 804.\n"
        "안녕하세요! नमस्ते 👋🏽\n"
        "    return x",
        "A common word is one token; a rare word, a number and another script are several.",
    ),
    Example(
        "Words that split",
        "strawberry\nlowercase Lowercase LOWERCASE\nunbelievable antidisestablishmentarianism\n"
        ".DefaultCellStyle\n",
        "Spelling is hard for a model that sees “strawberry” as three tokens, not ten letters.",
    ),
    Example(
        "Egg, egg, EGG",
        "Egg.\nI have an Egg.\negg.\nEGG.\n",
        "The same word is other tokens at the start of a line, after a space, and in capitals.",
    ),
    Example(
        "Arithmetic",
        "127 + 677 = 804\n1275 + 6773 = 8041\n",
        "GPT-2 cuts numbers as they come; newer tokenizers cut them in threes from the left.",
    ),
    Example(
        "A Korean greeting",
        "안녕하세요, 만나서 반가워요!\n",
        "GPT-2 needs 38 tokens for this greeting, cl100k 15 and o200k 10: they learned more Korean.",
    ),
    Example(
        "A Nepali sentence",
        "नेपालमा धेरै अग्ला हिमालहरू छन्।\n",
        "A letter and its vowel sign may be many tokens: 53 in GPT-2, 11 in o200k.",
    ),
    Example(
        "Indented Python",
        "for n in range(1, 16):\n"
        "    if n % 15 == 0:\n"
        '        print("FizzBuzz")\n'
        "    elif n % 5 == 0:\n"
        '        print("Buzz")\n'
        "    else:\n"
        "        print(n)\n",
        "GPT-2 spends a token on each space of the indent; cl100k takes a whole indent as one.",
    ),
    Example(
        "Emoji",
        "👋 👋🏽 👨‍👩‍👧 🇳🇵 ❤️\n",
        "One picture is many bytes, and the family is ten tokens in GPT-2: three people and two joiners.",
    ),
    Example(
        "A special token",
        "The document ends here.<|endoftext|>A new one begins.\n",
        "As plain text it is a few ordinary tokens; as a special token it is one, and ends the document.",
    ),
    Example(
        "White space",
        "one\ttwo  three\u00a0four\r\nfive\n\n\nsix ",
        "Tabs, double spaces, no-break spaces, CRLF and the space at the end are tokens too.",
    ),
)
