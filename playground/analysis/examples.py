"""Example texts of the pages Tokenize, Compare and Merge tree, each with a notice of what to look at.

`tests/analysis/test_examples.py` checks every claim of a notice.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A text, and a sentence on what to notice in it."""

    title: str
    text: str
    notice: str


#: Examples of Tokenize, which opens with the first one.
TOKENIZE_EXAMPLES: tuple[Example, ...] = (
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
        "A model sees the tokens of “strawberry”, not its ten letters, which makes spelling hard for it.",
    ),
    Example(
        "Egg, egg, EGG",
        "Egg.\nI have an Egg.\negg.\nEGG.\n",
        "The same word is other tokens at the start of a line, after a space, and in capitals.",
    ),
    Example(
        "Arithmetic",
        "127 + 677 = 804\n1275 + 6773 = 8041\n",
        "Some tokenizers cut a number where their merges happen to, others in threes from the left, "
        "others into single digits.",
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
        "Some tokenizers spend a token on each space of an indent; others take all at once but the last, "
        "which the word takes.",
    ),
    Example(
        "Emoji",
        "👋 👋🏽 👨‍👩‍👧 🇳🇵 ❤️\n",
        "One picture is many bytes, and the family is five characters: three people and two joiners.",
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

#: Examples of Compare, which opens with the first one.
COMPARE_EXAMPLES: tuple[Example, ...] = (
    Example(
        "English prose",
        "The tokenizer reads the sentence before the model does. Where it cuts decides what the model "
        "can see: whole words that are common, pieces of those that are not, such as tokenization.",
        "In a large vocabulary most common words are one token with the space before them; a small one must "
        "spell many of them in pieces.",
    ),
    Example(
        "Python",
        "def fizz_buzz(limit):\n"
        "    for n in range(1, limit):\n"
        "        if n % 15 == 0:\n"
        '            print("FizzBuzz")\n'
        "        elif n % 5 == 0:\n"
        '            print("Buzz")\n'
        "        else:\n"
        "            print(n)\n",
        "Some tokenizers spend a token on each space of an indent; others take all at once but the last, "
        "which the word takes.",
    ),
    Example(
        "JSON",
        '{\n  "user": {"id": 10482, "name": "Asha Gurung", "active": true},\n'
        '  "tags": ["maps", "hiking"],\n  "scores": [9.5, 8.75, 10]\n}\n',
        'More than half of the tokens have no letter and no digit: pairs such as “":” are frequent enough to '
        "be one token.",
    ),
    Example(
        "Arithmetic",
        "127 + 677 = 804\n1275 + 6773 = 8041\n12753 - 6773 = 5980\n",
        "Some tokenizers cut a number where their merges happen to, others in threes from the left, others "
        "into single digits. Digits of one place line up only as single digits.",
    ),
    Example(
        "Long numbers",
        "3.14159265358979323846264338327950288\n1000000 10000000 100000000\n2026-11-21T14:05:59Z\n",
        "A pattern that lets at most three digits into a pretoken cuts the 35 decimals of π into twelve or "
        "more; one without this limit may have six zeros as one token.",
    ),
    Example(
        "URL and base64",
        "https://maps.example.org/trails?from=27.7172,85.3240&zoom=14#day-2\n"
        "dGhlIHRva2VuaXplciBjYW5ub3QgcmVhZCBiYXNlNjQ=\n",
        "Text that no one says aloud has few frequent pairs: a token of base64 has on average less than "
        "half the characters of one of English prose.",
    ),
    Example(
        "Emoji",
        "👋 👋🏽 👨‍👩‍👧 🇳🇵 ❤️ 🧑🏾‍🚀\n",
        "The family is one picture but five characters, three people and two joiners between them, each of "
        "three or four bytes.",
    ),
    Example(
        "A chat",
        "<|im_start|>system\nYou are a helpful assistant<|im_end|>\n<|im_start|>user\n"
        "How many letters r are in strawberry?<|im_end|>\n<|im_start|>assistant\n",
        "Typed as text, “<|im_start|>” is several ordinary tokens, not one special token: it costs more "
        "and starts nothing.",
    ),
)

#: Examples of Merge tree, which opens with the first one.
MERGE_TREE_EXAMPLES: tuple[Example, ...] = (
    Example(
        "A word",
        " tokenization",
        "GPT-2 has no token for this word; “ization” ends so many words that it has one for that.",
    ),
    Example(
        "With a space and without",
        "strawberry strawberry",
        "With the space before it, GPT-2 has this word as one token; without it, as three.",
    ),
    Example(
        "In capitals",
        " tokenization Tokenization TOKENIZATION",
        "A merge joins exact bytes: what two tokens hold in lower case takes GPT-2 four in capitals.",
    ),
    Example(
        "A rare word",
        " antidisestablishmentarianism",
        "The parts are frequent bytes, not syllables or stems: one of GPT-2's five is “idis”.",
    ),
    Example(
        "A user's name",
        " SolidGoldMagikarp",
        "A whole name is one token in GPT-2, for it was frequent where its merges were counted.",
    ),
    Example(
        "A Korean greeting",
        "안녕하세요",
        "Each of the five characters is three bytes, and GPT-2 merges only two of the fifteen.",
    ),
    Example(
        "Emoji",
        "👋🏽",
        "A hand and its colour are characters of four bytes each; GPT-2 merges parts of either, never both.",
    ),
)
