"""One sentence that follows from the measured numbers: what to send, what it saves, what is lost."""

from collections.abc import Sequence

from playground.analysis.formats.costs import CostTable
from playground.analysis.formats.registry import COMPACT_JSON, FORMATS, PRETTY_JSON
from playground.analysis.formats.values import Conversion, Loss

#: The worst first: what is gone, then what is changed, then what is only blurred.
_SERIOUS = ("parts", "numbers", "text", "types", "dates", "nesting", "nulls", "names")
_PHRASES = {
    "parts": "leaves out {}",
    "numbers": "changes numbers in {}",
    "text": "changes characters in {}",
    "types": "drops the types of {}",
    "dates": "turns the dates in {} into text",
    "nesting": "flattens {}",
    "nulls": "cannot tell null from empty in {}",
    "names": "drops or changes the name {}",
}
_PLURAL_NAMES = "drops or changes {}"
_SHOWN_NAMES = 2


def advise(table: CostTable, tokenizer_name: str) -> str:
    """The advice for one tokenizer, in one sentence.

    >>> from playground.analysis.formats.costs import measure
    >>> from playground.catalog.registry import get_tokenizer
    >>> table = measure({"a": [1, None], "b": "x"}, [get_tokenizer("gpt2")], formats=["json_pretty", "yaml"])
    >>> advise(table, "gpt2")
    'For this data and gpt2, YAML is the cheapest format that loses nothing: 61 % below pretty JSON.'
    """
    counts = table.n_tokens[tokenizer_name]
    best = table.cheapest(tokenizer_name)
    lossy = table.cheapest(tokenizer_name, fidelity="lossy")
    start = f"For this data and {tokenizer_name}, "
    if best is None:
        if lossy is None:
            return f"{start}no format can hold all of it."
        return (
            f"{start}no format brings everything back; {_label(lossy)} is the cheapest, "
            f"but {describe_losses(lossy.losses)}."
        )
    n_best = counts[best.format_name]
    others = [
        name for name in (PRETTY_JSON, COMPACT_JSON, "yaml") if name in counts and name != best.format_name
    ]
    compared = [f"{_percent_below(n_best, counts[name])} {_plain_label(name)}" for name in others[:2]]
    sentence = f"{start}{_label(best)} is the cheapest format that loses nothing"
    sentence += f": {' and '.join(compared)}" if compared else ""
    if lossy is not None and counts[lossy.format_name] < n_best:
        cheaper = _percent(n_best - counts[lossy.format_name], n_best)
        sentence += f"; {_label(lossy)} is {cheaper} cheaper still, but {describe_losses(lossy.losses)}"
    return sentence + "."


def describe_losses(losses: Sequence[Loss], *, n_kinds: int = 2) -> str:
    """What was lost, the worst first.

    >>> describe_losses([Loss("types", ("[].zip", "[].code"), 2, 9, '"07"', "7")])
    'drops the types of 2 fields (zip, code)'
    """
    ordered = sorted(losses, key=lambda loss: _SERIOUS.index(loss.kind))
    phrases = [_phrase(loss) for loss in ordered[:n_kinds]]
    return " and ".join(phrases)


def _phrase(loss: Loss) -> str:
    names = [place.replace("the key ", "").rsplit("[].", 1)[-1] for place in loss.places[:_SHOWN_NAMES]]
    if loss.n_places == 1:
        name = names[0]
        return _PHRASES[loss.kind].format(name if name.startswith("the ") else f"“{name}”")
    more = ", …" if loss.n_places > _SHOWN_NAMES else ""
    what = f"{loss.n_places:,} {'names' if loss.kind == 'names' else 'fields'} ({', '.join(names)}{more})"
    return (_PLURAL_NAMES if loss.kind == "names" else _PHRASES[loss.kind]).format(what)


def _label(found: Conversion) -> str:
    return _plain_label(found.format_name)


def _plain_label(name: str) -> str:
    """The format as it reads in a sentence.

    >>> _plain_label("json_compact"), _plain_label("yaml")
    ('compact JSON', 'YAML')
    """
    first, _, rest = FORMATS[name].label.partition(", ")
    return f"{rest} {first}" if rest in ("pretty", "compact", "pretty (4)", "flow") else FORMATS[name].label


def _percent_below(n_tokens: int, baseline: int) -> str:
    if n_tokens == baseline:
        return "level with"
    word = "below" if n_tokens < baseline else "above"
    return f"{_percent(abs(baseline - n_tokens), baseline)} {word}"


def _percent(part: int, whole: int) -> str:
    percent = 100 * part / whole if whole else 0
    return "under 1 %" if 0 < percent < 0.5 else f"{percent:.0f} %"
