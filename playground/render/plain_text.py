"""Text for a place that reads Markdown, in which it must stay text."""

import regex

#: Where an address is parted, so that no link is made of it.
_IN_ADDRESS = regex.compile(r"(?i)(?<=www)(?=\.)|(?<=:)(?=//)|(?=@)")


def markdown_escape(text: str) -> str:
    r"""Text for a Streamlit message, in which nothing becomes markup.

    Addresses, which become links however they are escaped, are parted by an unseen word joiner.

    >>> markdown_escape("a *b* <c>")
    'a \\*b\\* \\<c\\>'
    """
    parted = _IN_ADDRESS.sub("\u2060", text)
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|$~:&" else c for c in parted)
