"""Text and bytes made visible (white space, controls, stray bytes), and text escaped for Markdown."""

import unicodedata
from itertools import groupby

import regex

_MARKS = {" ": "·", "\n": "⏎", "\r": "␍", "\t": "→", "\u00a0": "⍽", "\u00ad": "⟨00AD⟩"}
_JOINERS = ("\u200c", "\u200d")


def shown_bytes(raw: bytes) -> str:
    r"""Return bytes as text with visible white space; bytes that are not valid UTF-8 are in hex.

    >>> shown_bytes(b" caf\xc3\xa9\n"), shown_bytes(b"\xe2\x82")
    ('·café⏎', '⟨E2⟩⟨82⟩')
    """
    try:
        return shown_text(raw.decode())
    except UnicodeDecodeError:
        text = raw.decode(errors="surrogateescape")
    return "".join(
        "".join(f"⟨{ord(byte) - 0xDC00:02X}⟩" for byte in part) if is_bytes else shown_text("".join(part))
        for is_bytes, part in groupby(text, lambda character: 0xDC80 <= ord(character) < 0xDD00)
    )


def shown_text(text: str) -> str:
    """Return text with visible white space; other invisible characters become their code points.

    >>> shown_text("a b\\u200b")
    'a·b⟨200B⟩'

    A joiner shapes the letters and emoji around it and shows nothing itself; alone it is shown.

    >>> shown_text("\u200d")
    '⟨200D⟩'
    """
    if text in _JOINERS:
        return f"⟨{ord(text):04X}⟩"
    if text.isascii() and text.isprintable():
        return text.replace(" ", "·")
    return "".join([_MARKS.get(character) or _shown_character(character) for character in text])


def _shown_character(character: str) -> str:
    is_invisible = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")
    return f"⟨{ord(character):04X}⟩" if is_invisible and character not in _JOINERS else character


#: Positions inside an address at which a word joiner prevents a link.
_IN_ADDRESS = regex.compile(r"(?i)(?<=www)(?=\.)|(?<=:)(?=//)|(?=@)")


def markdown_escape(text: str) -> str:
    r"""Escape text for Markdown, so that a Streamlit message shows it unchanged.

    Addresses become links however they are escaped, so an invisible word joiner is put into them.

    >>> markdown_escape("a *b* <c>")
    'a \\*b\\* \\<c\\>'
    """
    unlinked = _IN_ADDRESS.sub("\u2060", text)
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|$~:&" else c for c in unlinked)
