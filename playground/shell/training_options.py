"""The options of a training algorithm, from `--option NAME=VALUE` and from `tessera.train`."""

from collections.abc import Sequence

from playground.core.errors import InvalidInputError
from playground.training.algorithms.learner import Algorithm, OptionValue


def chosen_options(algorithm: Algorithm, words: Sequence[str]) -> dict[str, OptionValue]:
    """Return an algorithm's options: its defaults, and the values of `--option NAME=VALUE`.

    >>> from playground.training.algorithms.registry import get_algorithm
    >>> chosen_options(get_algorithm("unigram"), ["shrink=0.8"])["shrink"]
    0.8

    Raises InvalidInputError for an unknown name or a value that does not fit.
    """
    values = {option.name: option.default for option in algorithm.options}
    by_name = {option.name: option for option in algorithm.options}
    for word in words:
        name, _, value = word.partition("=")
        if name not in by_name:
            raise InvalidInputError(
                f"{algorithm.title} has no option {name!r}"
                + (f"; choose from {', '.join(by_name)}" if by_name else "")
            )
        option = by_name[name]
        if option.choices and value not in option.choices:
            raise InvalidInputError(f"--option {word}: choose from {', '.join(option.choices)}")
        try:
            match option.default:
                case bool():
                    values[name] = {"true": True, "false": False}[value.lower()]
                case int():
                    values[name] = int(value)
                case float():
                    values[name] = float(value)
                case _:
                    values[name] = value
        except (ValueError, KeyError):
            kind = "true or false" if isinstance(option.default, bool) else "a number"
            raise InvalidInputError(f"--option {word}: the value must be {kind}") from None
        number, lowest, highest = values[name], option.lowest, option.highest
        if isinstance(number, str) or lowest is None or highest is None:
            continue
        if not lowest <= number <= highest:
            raise InvalidInputError(f"--option {word}: choose {lowest:g} to {highest:g}")
    return values
