"""Texts for the tests of this folder: difficult pieces for Hypothesis, and many scripts."""

import json
from functools import reduce
from pathlib import Path

from hypothesis import strategies as st

UDHR = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())

#: Articles 1 of 39 languages, then articles 2, … : 551 KB of UTF-8 in about twenty scripts.
MIXED = "\n".join(
    language["articles"][number]
    for number in range(30)
    for language in UDHR
    if number < len(language["articles"])
)

PIECES = [
    *["hello", " world", " ", "  ", "\n", "\r\n", "\t", "42", " 1234", "'s", "...", "é", "e\u0301", "½", "$"],
    *[
        "안녕",
        "नमस्ते",
        "สวัสดี",
        "சொல்",
        "العربية",
        "日本語",
        "\u1100\u1161\u11a8",
        "क्षि",
        "\u0600",
        "z\u0337\u0341",
    ],
    *["👩\u200d👩\u200d👧\u200d👦", "🇳🇵🇰", "👍🏽", "❤\ufe0f", "🧑"],
    *["\ufeff", "\u200b", "\x00", "<|endoftext|>", "\ufffd", "\u3000", "\u2028"],
]


def texts(max_pieces: int = 12) -> st.SearchStrategy[str]:
    """Draw texts of difficult pieces and of any characters except lone surrogates."""
    anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    pieces = st.lists(st.sampled_from(PIECES) | anything, max_size=max_pieces)
    return pieces.map(lambda parts: reduce(str.__add__, parts, ""))


#: Pieces that normalizers and libraries treat differently, mostly next to a space.
HARD_AT_SPACES = st.lists(
    st.sampled_from(
        ["the", "cat", "mat", "12", "'s", "``", "<extra_id_0>", "<s>", "👩\u200d💻", " ", "  ", "\r\n"]
    )
    | st.sampled_from(
        [*"7,…🙂\U0001f3fbﬁ½①ßİΣ가各ｶना\t\n\r \u3000\xa0\u2581\u0301\u3099\u200b\u200d\ufeff\ufffd"]
    )
    | st.sampled_from([*"\xad\x00\x7f\u0600\u0e33\uff9e\xa8\u2017\ufdfa\u1100\u1161\u3164 "]),
    max_size=14,
).map("".join)
