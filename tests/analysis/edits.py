"""Random texts and edits that are hard for live documents."""

from hypothesis import strategies as st

from playground.core.text_units import count_utf16

#: Own special tokens, some of which lie across places where a text is cut, or inside one another.
OWN_SPECIAL = [
    (),
    ("<user>",),
    ("a b", "b\n", "\n ", "x"),
    (" ", "ab", "bab", "\r\n", "안 녕", "\n<", "hello world and", " hello"),
]
_ALPHABETS = [
    " \n",
    " \t\r\n\u3000\u2028\xa0\x85",
    "ab \n",
    "aB1 .\n'/",
    "0123٣½ ,",
    "!?/'-_ \r\n",
    "👩👍🏽\u200d\ufe0f🇳🇵❤ \n",
    "e\u0301\u0323 Z\u0337\n",
    "안녕\u1100\u1161\u11a8 \n",
    "नमस्तेक्षि தமிழ்\n ",
    "\U00031350\U0001e4d0ᲀ \n!",
    "\0\ufeff\u200b\ufffda ",
]
_PIECES = [
    *["<|endof", "text|>", "<|endoftext|>", "<|fim_prefix|>", "<us", "er>", "<user>", "a b", " hello"],
    *["hello world and", "'s", "it's ", "\r\n", "x\n\n\n  ", "a" * 90, "    " * 30, "\n" * 40, "नेपाल" * 12],
    *["word, " * 180, "1234 " * 210, "return x\n    " * 90, "안녕 " * 340, "!/\n" * 350],
]
#: The last five are shorter, for documents with pieces of at most 30 characters.
_SHORT_PIECES = [*_PIECES[:-5], "word, " * 9, "1234 " * 11, "return x\n    " * 5, "안녕 " * 17, "!/\n" * 18]
short_texts = st.one_of(
    [st.text(st.sampled_from(alphabet), max_size=12) for alphabet in _ALPHABETS]
    + [st.sampled_from(_PIECES[:9]), st.text(max_size=4)]
)
texts = st.lists(short_texts | st.sampled_from(_PIECES), max_size=14).map("".join)
texts_of_short_pieces = st.lists(short_texts | st.sampled_from(_SHORT_PIECES), max_size=14).map("".join)


def draw_edit(data, text, inserted=texts):
    """Draw an edit at UTF-16 offsets, mostly of whole characters, often a few keys long."""
    n_units = count_utf16(text)
    start = data.draw(st.integers(0, n_units))
    n_deleted = data.draw(st.integers(0, min(n_units - start, data.draw(st.sampled_from([0, 1, 3, 2_000])))))
    return start, n_deleted, data.draw(short_texts | inserted)
