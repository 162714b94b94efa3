"""Bytes as text that shows every one of them; colours and boxes are added elsewhere."""

import unicodedata

_MARKS = {" ": "·", "\n": "⏎", "\r": "␍", "\t": "→", "\u00a0": "⍽", "\u00ad": "⟨00AD⟩"}


def shown_bytes(raw: bytes) -> str:
    r"""Text with visible white space; a byte that belongs to no character is shown in hex.

    >>> shown_bytes(b" caf\xc3\xa9\n"), shown_bytes(b"\xe2\x82")
    ('·café⏎', '⟨E2⟩⟨82⟩')
    """
    try:
        return shown_text(raw.decode())
    except UnicodeDecodeError:
        text = raw.decode(errors="surrogateescape")
    return "".join(
        f"⟨{ord(character) - 0xDC00:02X}⟩" if 0xDC80 <= ord(character) < 0xDD00 else shown_text(character)
        for character in text
    )


def shown_text(text: str) -> str:
    """Text with visible white space; other invisible characters become their code points.

    >>> shown_text("a b\\u200b")
    'a·b⟨200B⟩'
    """
    if text.isascii() and text.isprintable():
        return text.replace(" ", "·")
    return "".join([_MARKS.get(character) or _shown_character(character) for character in text])


def _shown_character(character: str) -> str:
    is_invisible = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")
    joins = character in "\u200c\u200d"  # they shape the letters and emoji around them
    return f"⟨{ord(character):04X}⟩" if is_invisible and not joins else character
