"""Each format against its own parser, on data made to be hard."""

import copy
import json
import tomllib
from datetime import date

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from ruamel.yaml.error import YAMLError

from playground.catalog.registry import get_tokenizer
from playground.formats.advice import describe_losses
from playground.formats.conversion import Job, find_losses, write
from playground.formats.limits import iter_values
from playground.formats.offloading import iter_conversions
from playground.formats.registry import FORMATS
from playground.formats.roles import byte_roles, count_tokens_by_role, rounded_parts
from playground.formats.values import WriteOptions
from tests.formats.any_data import OPTIONS, check_conversion
from tests.formats.equality import strict_equal
from tests.formats.other_readers import read_yaml
from tests.formats.strategies import JSON_DATA, OTHER_DATA, RECORDS

#: A parser's warning means that what was written is not what the format asks for.
pytestmark = pytest.mark.filterwarnings("error")
#: These hold all of JSON, so no data may come back changed.
HOLDS_JSON = [
    "json_pretty",
    "json_pretty_4",
    "json_dumps",
    "json_compact",
    "json5",
    "yaml",
    "yaml_flow",
    "python",
    "toon",
]


@settings(max_examples=20)
@given(data=JSON_DATA, options=OPTIONS)
def test_all_json_data_survives_a_round_trip(data, options):
    for name in HOLDS_JSON:
        found = Job(data, options).convert(name)
        loses_sign = name == "toon" and any(is_negative_zero(value) for value, _, _ in iter_values(data))
        assert found.fidelity == ("lossy" if loses_sign else "equal"), found


def is_negative_zero(value: object) -> bool:
    """TOON's specification writes it as 0."""
    return type(value) is float and value == 0 and str(value) == "-0.0"


@settings(max_examples=30)
@given(data=st.one_of(OTHER_DATA, RECORDS), options=OPTIONS)
def test_reported_losses_are_true(data, options):
    for name in FORMATS:
        check_conversion(data, name, options)


#: Values that are easily taken for one another.
ALIKE: list[object] = [
    None, "", [], {}, False, True, 0, 1, 1.0, "1", "null", float("nan"), date(2026, 1, 1), "2026-01-01",
    10**400,
]  # fmt: skip


@settings(max_examples=40)
@given(data=OTHER_DATA, a=st.sampled_from(ALIKE), b=st.sampled_from(ALIKE))
def test_a_loss_is_found_where_the_oracle_finds_one(data, a, b):
    for left, right in (
        (data, a),
        (a, b),
        ([data, a], [data, b]),
        ({"x": data, "y": a}, {"x": data, "y": b}),
    ):
        assert bool(find_losses(left, right)) == (not strict_equal(left, right))
    assert find_losses(data, copy.deepcopy(data)) == ()


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (None, "", "nulls"),
        ("", None, "nulls"),
        ({"a": None}, {}, "nulls"),
        ({}, {"a": None}, "nulls"),
        ([""], [None], "nulls"),
        ([None], [""], "nulls"),
        ("x", None, "rewritten"),
        (10**400, None, "types"),
        (10**400, 10**400 + 1, "numbers"),
        (10**400, float("inf"), "numbers"),
        (float("nan"), None, "numbers"),
        (1, True, "types"),
        ([], {}, "nesting"),
        ([], None, "nesting"),
    ],
)
def test_similar_values_are_distinguished(before, after, kind):
    assert [loss.kind for loss in find_losses(before, after)] == [kind]
    assert [loss.kind for loss in find_losses({"k": [before]}, {"k": [after]})] == [kind]


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_of_any_length_are_written_or_refused(name):
    found = Job([{"a": 10**400, "b": -(10**4000), "c": 2**64}], WriteOptions()).convert(name)
    assert found.fidelity == (
        "equal" if name in HOLDS_JSON or name == "json_lines" else "cannot" if name == "toml" else "lossy"
    )


@settings(max_examples=30)
@given(data=JSON_DATA)
def test_other_parsers_agree(data):
    texts = {found.format_name: found.text for found in iter_conversions(data) if found.text is not None}
    assert json.loads(texts["json_pretty"]) == data
    assert strict_equal(yaml.load(texts["yaml"], Loader=yaml.SafeLoader), data)
    assert strict_equal(yaml.load(texts["yaml_flow"], Loader=yaml.SafeLoader), data)


@settings(max_examples=30)
@given(text=st.text(st.characters(min_codepoint=32, exclude_categories=["C", "Z"]), min_size=1))
@example(text="_")
@example(text="-_")
@example(text="-_._e1")
def test_yaml_equals_pyyamls_output(text):
    """PyYAML's own emitter in Python is the oracle: libyaml's escapes emoji, and costs more tokens."""
    assume(not is_odd_for_another_reader(text))  # ours is quoted, for YAML 1.2 or another reader of 1.1
    for is_flow, name in ((False, "yaml"), (True, "yaml_flow")):
        data = {"key": [text, {"k" + text: 1}]}
        expected = yaml.safe_dump(
            data, allow_unicode=True, sort_keys=False, width=10**9, default_flow_style=is_flow
        )
        assert Job(data, WriteOptions()).convert(name).text == expected.removesuffix("\n")


def is_odd_for_another_reader(text):
    try:
        return any(not isinstance(read_yaml(text, version), str) for version in ((1, 1), (1, 2)))
    except YAMLError:  # it needs quotes anyway
        return False
    except (ValueError, IndexError):  # ruamel takes "-_" for a number, and fails at it
        return True


@settings(max_examples=12, deadline=None)
@given(data=st.one_of(JSON_DATA, RECORDS))
def test_ascii_output_has_only_ascii(data):
    for name in FORMATS.keys() - {"csv", "tsv", "markdown", "toon"}:  # they have no escapes
        found = Job(data, WriteOptions(is_ascii=True)).convert(name)
        assert found.text is None or found.text.isascii(), found


@settings(max_examples=12, deadline=None)
@given(data=st.one_of(JSON_DATA, RECORDS), options=OPTIONS)
def test_roles_sum_to_the_count(data, options):
    for name in FORMATS:
        found = Job(data, options).convert(name)
        if found.text is not None:
            check_roles(found)


def check_roles(found):
    spans = list(FORMATS[found.format_name].iter_roles(found.text))
    ends = [0, *(end for _, end, _ in spans)]
    assert all(before <= start <= end for before, (start, end, _) in zip(ends, spans, strict=False))
    assert len(byte_roles(found.text, iter(spans))) == found.n_bytes
    tokenizer = get_tokenizer("gpt2")
    parts = count_tokens_by_role(found.text, iter(spans), tokenizer)
    assert sum(parts.values()) == len(tokenizer.encode(found.text))
    assert sum(rounded_parts(parts).values()) == sum(parts.values())


@pytest.mark.parametrize("name", FORMATS)
def test_roles_find_the_keys_and_the_values(name):
    """The same data has the same keys and values in every format; only the rest differs."""
    data = [{"alpha": "one", "beta": 22}, {"alpha": "three", "beta": 44}]
    found = Job(data, WriteOptions()).convert(name)
    assert found.text is not None
    named = [(found.text[start:end], role) for start, end, role in FORMATS[name].iter_roles(found.text)]
    values = [text for text, role in named if role == "values"]
    keys = " ".join(text for text, role in named if role == "keys")
    assert values == ["one", "22", "three", "44"]
    assert "alpha" in keys
    assert "beta" in keys


def test_a_table_says_what_it_drops():
    data = {"page": 1, "items": [{"zip": "10000", "at": {"x": 1}, "n": None}] * 3}
    found = Job(data, WriteOptions()).convert("csv")
    assert (found.text or "").splitlines()[0] == "zip,at.x,n"
    losses = {loss.kind: loss for loss in found.losses}
    assert losses["parts"].places == ("page",)
    assert losses["names"].places == ("items",)
    assert losses["types"].places == ("items[].zip",)
    assert losses["nesting"].places == ("items[].at",)
    assert losses["types"].n_values == 3
    assert "nulls" not in losses


def test_sorted_keys_sort_at_every_level_and_change_nothing_else():
    data = {"b": [{"d": 1, "c": 2}], "a": 3}
    found = Job(data, WriteOptions(is_sorted=True)).convert("json_compact")
    assert found.text == '{"a":3,"b":[{"c":2,"d":1}]}'
    assert found.fidelity == "equal"


@pytest.mark.parametrize("name", ["yaml", "toml", "csv"])
def test_roles_count_characters_beyond_16_bits(name):
    data = [{"k😀y": "v😀lue one"}, {"k😀y": "two\u2028"}]
    found = Job(data, WriteOptions()).convert(name)
    text = found.text or ""
    values = [text[a:b] for a, b, role in FORMATS[name].iter_roles(text) if role == "values"]
    assert values[0] == "v😀lue one"
    keys = "".join(text[a:b] for a, b, role in FORMATS[name].iter_roles(text) if role == "keys")
    assert "k😀y" in keys


@pytest.mark.parametrize("name", ["xml_elements", "xml_attributes"])
def test_names_invalid_in_xml_are_reported(name):
    found = Job({"ünï": "é"}, WriteOptions(is_ascii=True)).convert(name)
    assert found.reason == "XML has escapes in values and none in names, and the key 'ünï' is not ASCII"
    assert Job({"a": "é"}, WriteOptions(is_ascii=True)).convert(name).fidelity == "equal"
    for key in ("a²", "1", "", "a b", "\U0001e900x", "-x", "xml:a"):
        found = Job({key: "v"}, WriteOptions()).convert(name)
        assert {loss.kind for loss in found.losses} == {"parts", "names"}, (key, found)


def test_html_has_no_nul_at_which_browsers_end_a_text():
    assert "<td>xy</td>" in write([{"a": "x\0y"}], FORMATS["html"], WriteOptions(is_minified=True))


def test_keys_in_another_order_are_told_and_change_no_value():
    data = {"a": {"x": 1}, "b": 2}
    toml = Job(data, WriteOptions()).convert("toml")
    assert [*tomllib.loads(toml.text or "")] == ["b", "a"]
    assert (toml.fidelity, describe_losses(toml.losses)) == ("equal", "changes the order of keys")
    assert Job(data, WriteOptions()).convert("yaml").losses == ()
    assert Job({"b": 2, "a": 1}, WriteOptions(is_sorted=True)).convert("json_compact").losses == ()
