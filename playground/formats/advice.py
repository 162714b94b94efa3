"""Advice from measured costs: one sentence on which format to send, and details."""

from collections.abc import Iterable, Mapping, Sequence
from math import floor, log10
from typing import NamedTuple

from playground.core.wording import counted, listed
from playground.formats.costs import CostTable
from playground.formats.registry import COMPACT_JSON, FORMATS, PRETTY_JSON
from playground.formats.values import Conversion, Loss

#: Kinds of loss, the most serious first.
_SERIOUS = ("parts", "numbers", "text", "rewritten", "types", "dates", "nesting", "nulls", "names", "order")
_PHRASES = {
    "parts": "leaves out {}",
    "numbers": "changes numbers in {}",
    "text": "changes characters in {}",
    "rewritten": "rewrites {}",
    "types": "drops the types of {}",
    "dates": "turns the dates in {} into text",
    "nesting": "flattens {}",
    "nulls": "cannot tell null from empty in {}",
    "names": "drops or changes the name {}",
    "order": "changes the order of keys",
}
_PLURAL_NAMES = "drops or changes {}"
_SHOWN_NAMES = 2
#: Kinds of loss that depend on the reader.
_OF_READERS = ("rewritten", "types", "dates", "numbers")
#: Formats that fewer programs read.
_UNUSUAL = ("json5", "yaml_flow", "toon", "python", "properties")
#: An unusual format is recommended if it saves more than this part of the tokens of the cheapest usual one.
_MIN_GAIN = 0.10
_MAX_TIED_SHOWN = 3
#: Well-known formats, with which the cheapest is compared.
_KNOWN = (PRETTY_JSON, COMPACT_JSON, "yaml")
#: A format that leaves out a larger part of the values is not recommended, however cheap it is.
_MAX_LEFT_OUT = 0.25


class Advice(NamedTuple):
    """The advice in one sentence of at most 25 words, and further details."""

    sentence: str
    rest: str = ""


def headline(table: CostTable, tokenizer_name: str, given: str, n_given: int) -> str:
    """Return the best format for the data, and what it saves against the text that was given.

    `given` is the format of that text, and `n_given` its number of tokens as it was written.

    >>> from playground.formats.costs import measure
    >>> from playground.catalog.registry import get_tokenizer
    >>> table = measure({"a": [1, None], "b": "x"}, [get_tokenizer("gpt2")])
    >>> headline(table, "gpt2", "JSON", 31)
    'Compact JSON: 11 tokens, 65 % fewer than this JSON (31)'
    >>> headline(table, "gpt2", "JSON", 11)
    'This JSON, 11 tokens, is the best format: compact JSON would have 11'
    """
    counts = table.n_tokens[tokenizer_name]
    chosen = recommended(table, tokenizer_name)
    if chosen is None or not chosen.text:
        return advise(table, tokenizer_name).sentence
    n_chosen = counts[chosen.format_name]
    if n_chosen < n_given:
        saved = _percent(n_given - n_chosen, n_given)
        words = (
            f"{_label(chosen)}: {counted(n_chosen, 'token')}, {saved} fewer than this {given} ({n_given:,})"
        )
        return _capitalized(words)
    tokens = counted(n_given, "token")
    if _label(chosen) == given:
        return f"This {given} is the best format: {tokens}"
    return f"This {given}, {tokens}, is the best format: {_label(chosen)} would have {n_chosen:,}"


def recommended(table: CostTable, tokenizer_name: str) -> Conversion | None:
    """Return the conversion to send: the cheapest that loses nothing, unless a usual format is close."""
    counts = table.n_tokens[tokenizer_name]
    equal = [found for found in table.conversions if found.fidelity == "equal"]
    equal.sort(key=lambda found: (counts[found.format_name], found.format_name in _UNUSUAL))
    usual = next((found for found in equal if found.format_name not in _UNUSUAL), None)
    if usual is None:
        return equal[0] if equal else None
    is_close = counts[usual.format_name] * (1 - _MIN_GAIN) <= counts[equal[0].format_name]
    return usual if is_close else equal[0]


def advise(table: CostTable, tokenizer_name: str) -> Advice:
    """Return the advice for one tokenizer.

    >>> from playground.formats.costs import measure
    >>> from playground.catalog.registry import get_tokenizer
    >>> table = measure({"a": [1, None], "b": "x"}, [get_tokenizer("gpt2")], formats=["json_pretty", "yaml"])
    >>> advise(table, "gpt2").sentence
    'In gpt2, YAML is the cheapest format that loses nothing: 61 % below pretty JSON.'
    """
    counts = table.n_tokens[tokenizer_name]
    best = table.cheapest(tokenizer_name)
    chosen = recommended(table, tokenizer_name)
    lossy = cheapest_lossy(table, tokenizer_name)
    undone = [found for found in table.conversions if found.is_over_limit]
    n_done = len(table.conversions) - len(undone)
    start = f"In {tokenizer_name}, " + (f"of the {n_done} formats that were finished, " if undone else "")
    if best is None or chosen is None:
        if undone and not n_done:
            return Advice(f"In {tokenizer_name}, no format was finished.", _as_sentence(undone[0].reason))
        no_format = "none" if undone else "no format"
        if lossy is None:
            return Advice(f"{start}{no_format} can hold all of it.", _limits(undone))
        sentence = f"{start}{no_format} brings everything back; {_label(lossy)} is the cheapest."
        return Advice(sentence, _joined(f"It {describe_losses(lossy.losses)}.", _limits(undone)))
    if not best.text:
        n_as_json = counts.get(PRETTY_JSON)
        as_json = "" if n_as_json is None else f"As pretty JSON it has {counted(n_as_json, 'token')}."
        sentence = f"{start}{_label(best)} writes this data as an empty text, which has no tokens."
        return Advice(sentence, _joined(as_json, _limits(undone)))
    n_chosen = counts[chosen.format_name]
    if lossy is not None and counts[lossy.format_name] >= n_chosen:
        lossy = None
    compared = _compare(counts, chosen, aside=lossy)
    rest = [f"It is {part}." for part in compared[1:]]
    tied = [c for c in table.conversions if c.fidelity == "equal" and counts[c.format_name] == n_chosen]
    if n_chosen > counts[best.format_name]:
        sentence = f"{start}{_label(chosen)} is the format to send"
        saved = _percent(n_chosen - counts[best.format_name], n_chosen)
        why = f"is the cheapest that loses nothing, but only {saved} below {_label(chosen)}"
        rest.append(f"{_capitalized(_label(best))} {why}, and fewer programs read it.")
    elif len(tied) > 1:
        tied.sort(key=lambda found: (found.format_name not in _KNOWN, found.format_name in _UNUSUAL))
        labels = [_label(found) for found in tied[:_MAX_TIED_SHOWN]]
        more = len(tied) - len(labels)
        names = f"{', '.join(labels)} and {more} more" if more else listed(labels)
        sentence = f"{start}{names} tie as the cheapest formats that lose nothing"
        compared = [f"{counted(n_chosen, 'token')} each"]
        rest = []
    else:
        sentence = f"{start}{_label(chosen)} is the cheapest format that loses nothing"
    if chosen.losses and len(tied) == 1:
        rest.append(f"It {describe_losses(chosen.losses)}.")
    if lossy is not None:
        cheaper = _percent(n_chosen - counts[lossy.format_name], n_chosen)
        label = _capitalized(_label(lossy))
        rest.append(f"{label} is {cheaper} cheaper still, but {describe_losses(lossy.losses)}.")
    compared_first = f": {compared[0]}" if compared else ""
    return Advice(f"{sentence}{compared_first}.", _joined(*rest, _limits(undone)))


def cheapest_lossy(table: CostTable, tokenizer_name: str) -> Conversion | None:
    """Return the cheapest conversion that loses something but holds most of the values, or None."""
    counts = table.n_tokens[tokenizer_name]
    found = [c for c in table.conversions if c.fidelity == "lossy" and c.part_left_out <= _MAX_LEFT_OUT]
    return min(found, key=lambda c: counts[c.format_name], default=None)


def describe_price(table: CostTable, tokenizer_name: str, price: float) -> str:
    """Describe the cost of 1,000 calls in the recommended format; `price` is for a million tokens.

    >>> from playground.formats.costs import measure
    >>> from playground.catalog.registry import get_tokenizer
    >>> table = measure({"a": [1, None], "b": "x"}, [get_tokenizer("gpt2")], formats=["json_pretty", "yaml"])
    >>> describe_price(table, "gpt2", 50)
    '1,000 calls cost $0.60: $0.95 less than as pretty JSON ($1.55).'
    """
    counts = table.n_tokens[tokenizer_name]
    best = recommended(table, tokenizer_name)
    if price < 0:
        return "The price is below 0; a price is 0, which is free, or more."
    if best is None:
        return ""
    if not price or not best.text:
        return f"1,000 calls cost nothing: the {'text is empty' if price else 'price is 0'}."
    cost = {name: n * price / 1_000 for name, n in counts.items()}
    own = cost[best.format_name]
    others = [name for name in (PRETTY_JSON, COMPACT_JSON) if name in cost and name != best.format_name]
    lossy = cheapest_lossy(table, tokenizer_name)
    if lossy is not None and cost[lossy.format_name] >= own:
        lossy = None
    amounts = [own, *(cost[name] for name in others), *(abs(cost[name] - own) for name in others)]
    if lossy is not None:
        amounts.append(cost[lossy.format_name])
    n_decimals = _decimals(amounts)

    def money(amount: float) -> str:
        return f"${amount:,.{n_decimals}f}"

    def beside(other: float) -> str:
        if own == other:
            return "the same"
        saved = abs(round(other, n_decimals) - round(own, n_decimals))  # of what the sentence shows
        return f"{money(saved)} {'more' if other < own else 'less'} than"

    saved = [f"{beside(cost[name])} as {_plain_label(name)} ({money(cost[name])})" for name in others]
    sentence = f"1,000 calls cost {money(own)}" + (f": {', '.join(saved)}" if saved else "")
    if lossy is not None:
        sentence += f". With its losses, {_label(lossy)} would cost {money(cost[lossy.format_name])}"
    return sentence + "."


def describe_losses(losses: Sequence[Loss], *, n_kinds: int = 2, n_names: int = _SHOWN_NAMES) -> str:
    """Describe losses, the most serious first, with the names of some fields of each.

    >>> describe_losses([Loss("types", ("[].zip", "[].code"), 2, 9)])
    'drops the types of 2 fields (zip, code)'
    """
    ordered = sorted(losses, key=lambda loss: _SERIOUS.index(loss.kind))
    phrases = [_phrase(loss, n_names) for loss in ordered[:n_kinds]]
    if len(ordered) > n_kinds:
        return f"{', '.join(phrases)}, and more"
    return listed(phrases)


def _limits(undone: Sequence[Conversion]) -> str:
    """Return a sentence on formats that were not converted, and the limit that the first exceeded."""
    if not undone:
        return ""
    labels = ", ".join(_label(found) for found in undone)
    return f"Not compared, because {undone[0].reason.partition(';')[0]}: {labels}."


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _as_sentence(words: str) -> str:
    return f"{_capitalized(words)}."


def _capitalized(words: str) -> str:
    return words if words.startswith("json.") else f"{words[:1].upper()}{words[1:]}"


def _compare(counts: Mapping[str, int], best: Conversion, aside: Conversion | None) -> list[str]:
    """Compare the cheapest format with two well-known ones, other than `aside`."""
    known = [name for name in _KNOWN if name in counts]
    others = [name for name in known if name != best.format_name][:2]
    compared: dict[str, list[str]] = {}
    for name in [name for name in others if aside is None or name != aside.format_name]:
        is_cheaper = counts[name] < counts[best.format_name]  # it could not be, if it held all of the data
        loses = " (lossy)" if is_cheaper else ""
        percent = _percent_below(counts[best.format_name], counts[name])
        compared.setdefault(percent, []).append(_plain_label(name) + loses)
    return [f"{percent} {' and '.join(labels)}" for percent, labels in compared.items()]


def _phrase(loss: Loss, n_names: int) -> str:
    names = [
        place.removeprefix("the key ").removeprefix("[].").removesuffix("[]") or place
        for place in loss.places[:n_names]
    ]
    if loss.kind == "order":
        return _PHRASES["order"]
    if loss.kind == "names" and loss.places[0] == "the root":
        return "has to name the list at the root"
    for_readers = f" for {listed(loss.readers)}" if loss.kind in _OF_READERS and loss.readers else ""
    if loss.n_places == 1:
        name = names[0]
        return _PHRASES[loss.kind].format(name if name.startswith("the ") else f"“{name}”") + for_readers
    more = ", …" if loss.n_places > n_names else ""
    what = f"{loss.n_places:,} {'names' if loss.kind == 'names' else 'fields'} ({', '.join(names)}{more})"
    return (_PLURAL_NAMES if loss.kind == "names" else _PHRASES[loss.kind]).format(what) + for_readers


def _label(found: Conversion) -> str:
    return _plain_label(found.format_name)


#: Names for a sentence, of formats whose label does not read well there.
_IN_A_SENTENCE = {
    "json_pretty": "pretty JSON",
    "json_pretty_4": "JSON indented by 4",
    "json_compact": "compact JSON",
    "json_dumps": "json.dumps()",
    "yaml_flow": "flow YAML",
    "xml_elements": "XML of elements",
    "xml_attributes": "XML with attributes",
    "markdown": "a Markdown table",
    "html": "an HTML table",
    "properties": "a properties file",
    "python": "a Python literal",
}


def _plain_label(name: str) -> str:
    return _IN_A_SENTENCE.get(name, FORMATS[name].label)


def _decimals(amounts: Iterable[float]) -> int:
    """Return the decimals of all amounts in a sentence: two, or enough for two digits of the smallest amount.

    Differences are computed from the rounded amounts, so that a reader who subtracts gets the same number.

    >>> _decimals([1.8, 0.0]), _decimals([0.07, 0.0025])
    (2, 4)
    """
    smallest = min((amount for amount in amounts if amount), default=1.0)
    return 2 if smallest >= 0.01 else min(1 - floor(log10(smallest)), 9)


def _percent_below(n_tokens: int, baseline: int) -> str:
    if n_tokens == baseline:
        return "level with"
    word = "below" if n_tokens < baseline else "above"
    return f"{_percent(abs(baseline - n_tokens), baseline)} {word}"


def _percent(part: int, whole: int) -> str:
    percent = 100 * part / whole if whole else 0
    return "under 1 %" if 0 < percent < 0.5 else f"{percent:.0f} %"


def lines_of_losses(table: CostTable) -> list[tuple[str, str]]:
    """Return names and losses: formats with the same losses in one line, then those that cannot hold it."""
    lossy: dict[str, list[str]] = {}
    cannot: dict[tuple[str, str], list[str]] = {}
    for found in table.conversions:
        label = FORMATS[found.format_name].label
        if found.losses:
            lossy.setdefault(describe_losses(found.losses, n_kinds=8, n_names=20), []).append(label)
        elif found.fidelity == "cannot":
            what = "Not done" if found.is_over_limit else "Cannot hold it"
            cannot.setdefault((what, found.reason), []).append(label)
    lines = [("; ".join(labels), lost) for lost, labels in lossy.items()]
    return lines + [(f"{what}: {'; '.join(labels)}", reason) for (what, reason), labels in cannot.items()]
