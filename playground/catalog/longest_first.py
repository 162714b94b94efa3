"""Longest first: WordPiece cuts a word into the longest pieces, from the left.

The public library encodes; a word is cut here too, to show what is looked for on the way.
"""

from collections.abc import Mapping

from playground.core.building import Given, Probe, Probed

#: The tries of a longer word are not kept: they grow with the square of its length.
MAX_PROBED_CHARS = 60


def cut_longest_first(
    word: str, id_of: Mapping[str, int], unknown_id: int, *, prefix: str, n_max_chars: int
) -> Probed | Given:
    """The longest piece that a word begins with, again and again; one unknown token where none fits.

    `prefix` stands before pieces that go on with a word. A word of more than `n_max_chars` is unknown.

    >>> probed = cut_longest_first("una", {"un": 5, "##a": 6}, 0, prefix="##", n_max_chars=100)
    >>> probed.ids, [probe.spelled for probe in probed.probes if not probe.is_found]
    ((5, 6), ['una'])
    """
    if len(word) > n_max_chars:
        return Given((unknown_id,), f"A word of more than {n_max_chars} characters is unknown as a whole.")
    if not word:
        return Given(())
    found: list[int] = []
    probes: list[Probe] = []
    start = 0
    while start < len(word):
        before = prefix if start else ""
        for end in range(len(word), start, -1):
            token_id = id_of.get(before + word[start:end])
            if len(word) <= MAX_PROBED_CHARS:
                probes.append(Probe(start, end, before + word[start:end], token_id is not None))
            if token_id is not None:
                found.append(token_id)
                start = end
                break
        else:
            found = [unknown_id]
            break
    if len(word) > MAX_PROBED_CHARS:
        return Given(tuple(found), f"Tries are drawn for words of up to {MAX_PROBED_CHARS} characters.")
    return Probed(word, tuple(probes), tuple(found))
