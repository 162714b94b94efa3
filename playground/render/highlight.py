"""A token's bytes as text that a person can see."""


def visible(raw: bytes) -> str:
    r"""A token's bytes as a person can see them: spaces, line ends and stray bytes included.

    >>> visible(b" caf\xc3\n"), visible("é".encode())
    ('·caf⟨C3⟩⏎', 'é')
    """
    shown = []
    for character in raw.decode(errors="surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            shown.append(f"⟨{ord(character) - 0xDC00:02X}⟩")
        else:
            shown.append({" ": "·", "\n": "⏎", "\t": "→", "\r": "␍"}.get(character, character))
    return "".join(shown)
