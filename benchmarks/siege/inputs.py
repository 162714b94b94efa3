"""What once hung, filled or killed a server, by the door that takes it."""

import json
import random
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from functools import partial

from tests.files.test_damaged import BYTES, tokenizer_json
from tests.files.test_limits import chain, doublings, model_file, ranks_file
from tests.formats.test_growth import INPUTS
from tests.formats.test_reading import BOMBS

#: The search for long white space once began again at every space.
SPACES = "x" + " " * 249_999 + "x" * 250_000
#: A pattern that tries every way to cut a run of one letter.
ENDLESS_PATTERN = r"(?:(?:a|a)*)*b|."
PATTERNS = [
    "(((a{1000}){1000}){1000})", "(" * 4_000, "(?R)a|b", r"(a+)+$", r"(?:a|a)*b", r"(.*)\1+x",
    "[" + "a-" * 2_000,
]  # fmt: skip

_NUMBER_IN_BASE_60 = ":".join(["59"] * 5_000)


def _up_to_5_mb(make: Callable[[int], str]) -> str:
    """The largest of these inputs that the page reads."""
    n = 1_000
    while len(make(2 * n)) < 4_900_000:
        n *= 2
    return make(n)


def _merges(make: Callable[[int], object], n: int) -> str:
    return str(model_file(make(n)))


def _special_at(token_id: int) -> str:
    return str(tokenizer_json(added_tokens=[{"id": token_id, "content": "<s>", "special": True}]))


DATA: Mapping[str, Callable[[], str]] = {
    **{name: partial(_up_to_5_mb, make) for name, make in INPUTS.items()},
    **{f"bomb {number}": partial(str, bomb) for number, bomb in enumerate(BOMBS, start=1)},
    "a TOML value of base64": lambda: f'key = "{b64encode(random.Random(0).randbytes(375_000)).decode()}"\n',
    "numbers to base 60 in YAML": lambda: f"a: {_NUMBER_IN_BASE_60}\n" * 100,
    "numbers of many digits": lambda: "[" + "1" * 4_300 + ("," + "1" * 4_300) * 300 + "," + "1" * 4_301 + "]",
    "600,000 columns": lambda: ",".join(f"c{n}" for n in range(600_000)) + "\n",
    "rows of one letter": lambda: "a\n" * 2_400_000,
    "keys that collide in YAML": lambda: "".join(f"{n * (2**61 - 1)}: 1\n" for n in range(20_000)),
}

TOKENIZER_FILES: Mapping[str, Callable[[], str]] = {
    **{f"{n}-doublings.model": partial(_merges, doublings, n) for n in (14, 20, 34, 40)},
    "chain.model": partial(_merges, chain, 60_000),
    **{f"id-{token_id}.json": partial(_special_at, token_id) for token_id in (10**9, 4 * 10**9, -1, 10**30)},
    "16-KB.tiktoken": lambda: ranks_file(b"a" * 16_384),
    "64-KB.tiktoken": lambda: ranks_file(b"a" * 65_536),
    "hole.tiktoken": lambda: BYTES.replace(" 97\n", " 300\n"),
    "special.model": lambda: str(model_file([], [f"<{n}> {1000 + n}" for n in range(1_000_000)])),
    "brackets.json": lambda: "[" * 100_000,
}


def tokenizer_of(pattern: str) -> str:
    """A `.model` file of one merge, with this split pattern."""
    return str(model_file([(97, 97)])).replace("\n\n", f"\n{pattern}\n", 1)


def link_of(state: Mapping[str, object] | bytes) -> str:
    """The query part of a link, however much it unpacks to."""
    plain = state if isinstance(state, bytes) else json.dumps(state).encode()
    return "share=2." + urlsafe_b64encode(zlib.compress(plain, 9)).rstrip(b"=").decode()
