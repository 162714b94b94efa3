"""Data for property tests: nested, Unicode, empty containers, and text that looks like something else."""

import datetime

from hypothesis import strategies as st

TRICKY_TEXTS = st.sampled_from(
    [
"", " ", "  a  ", "\t", "null", "Null", "~", "true", "False", "yes", "no", "on", "off", "NaN",
        "nan", ".nan", ".inf", "Infinity", "-Infinity", "inf", "1", "-1", "01", "007", "1.0", "1e5",
        "1E400", ".5", "5.", "0x1F", "0o17", "0b1", "1_000", "12:30", "12:30:45", "2001-01-01",
        "2001-01-01T00:00:00Z", "-", "- a", "--- ", "...", "a: b", "a:b", "#c", "a #c", "{}", "[]",
        "{a", "[1]", "<<", "=", "*a", "&a", "!x", "%x", "@", "`", "|", ">", "'", "\"", "it's",
        "say \"hi\"", "\\", "\\n", "a\nb", "a\n", "\na", "\n", " a\n b\n\n", "a\r\nb", "\r", "a,b",
        "a|b", "a\\|b", "<b>", "&amp;", "<br>", "]]>", "\u0000", "\u0007", "\u007f", "\u0085", "\u2028",
        "\ufeff", "\ufffe", "\u00e9", "\u65e5\u672c\u8a9e", "\U0001f600", "e\u0301", "\u200b",
        "a" * 200, "a b " * 60, "None", "NULL", "y", "N", "-0", "+1", "1.", "0.1e1", "0o7", "-.inf", "1:2",
        "2026-03-14T09:00:00+02:00", "2026-03-14 09:00", "09:30:00", "? a", "- - a", "a: ", " - a", "[]: x",
        "key = 1", "[table]", "\u00a0a\u00a0", "\u3000", "a\u2029b", "\x1b[0m", "\x00\x01", "a,\r\nb",
        "| a | b |", "--- | ---", "</td>", "<!--", "<![CDATA[x]]>", "&#0;", "\\u00e9", "\\\n", "\t\ta\t",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=12), TRICKY_TEXTS)
INTEGERS = st.one_of(
    st.integers(-10, 10),
    st.sampled_from([2**53 - 1, 2**53, 2**63 - 1, -(2**63), 2**63, 2**64, 10**30, -(10**400)]),
)
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        [0.0, -0.0, 1.0, 1e22, 1e-7, 5e-324, 1.7976931348623157e308, 0.1, 1e16, 123456789012345680.0]
    ),
)
#: Every value that JSON can hold.
JSON_SCALARS = st.one_of(st.none(), st.booleans(), INTEGERS, FLOATS, TEXTS)
JSON_DATA = st.recursive(
    JSON_SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)
RECORDS = st.lists(
    st.dictionaries(st.sampled_from(["id", "name", "a b", "x.y", "ünï"]), JSON_DATA, min_size=1, max_size=4),
    min_size=1,
    max_size=5,
)
#: What only some formats have: dates, NaN, infinities, keys that are not text.
OTHER_SCALARS = st.one_of(
    JSON_SCALARS,
    st.sampled_from(["\ud83d", "a\udc00b"]),
    st.times(),
    st.dates(min_value=datetime.date(1000, 1, 1)),
    st.datetimes(min_value=datetime.datetime(1000, 1, 1)),
    st.floats(),
)
OTHER_KEYS = st.one_of(TEXTS, st.integers(-5, 5), st.none(), st.dates(min_value=datetime.date(1000, 1, 1)))
OTHER_DATA = st.recursive(
    OTHER_SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(OTHER_KEYS, inner, max_size=4)),
    max_leaves=12,
)
