"""Text can't become markup in HTML and Markdown messages, and invisible characters are shown."""

import re
from html import unescape

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import segment
from playground.formats.conversion import Job
from playground.formats.costs import measure
from playground.formats.registry import FORMATS
from playground.formats.scaling import row_points
from playground.formats.values import Role, WriteOptions
from playground.render.format_charts import cost_chart, growth_chart, roles_chart
from playground.render.token_html import MAX_SHOWN, headline_html, lines_html, note_html, tokens_html
from playground.render.visible_text import markdown_escape

ATTACK = "<img src=x onerror=alert(1)>\"'&</pre><script>"


@pytest.mark.parametrize("name", ["json_compact", "yaml", "html", "xml_elements"])
def test_markup_in_data_is_shown_as_text(name):
    text = Job([{ATTACK: ATTACK}], WriteOptions()).convert(name).text or ""
    html = tokens_html(
        segment(get_tokenizer("gpt2"), text), FORMATS[name].iter_roles(text), theme="light", label=ATTACK
    )
    body = html.split("</style>")[1]
    assert set(re.findall(r"</?(\w+)", body)) <= {"pre", "span", "i"}
    drawn = unescape(re.sub(r"<i[^>]*>⏎</i>|<[^>]*>", "", body))
    assert drawn == text


@given(st.text())
def test_markup_in_sentences_is_shown_as_text(text):
    for html in (headline_html(text), note_html(text), lines_html([(text, text)])):
        assert set(re.findall(r"</?(\w+)", html)) <= {"div", "p", "ul", "li", "b"}
        assert text in unescape(re.sub(r"<[^>]*>", "", html))


def test_dimming_affects_only_structure():
    text = '{"key": "value"}'
    tokenizer = get_tokenizer("utf8_bytes")
    html = tokens_html(
        segment(tokenizer, text), FORMATS["json_compact"].iter_roles(text), theme="dark", is_dimmed=True
    )
    faded = "".join(re.findall(r'opacity:.22">(.*?)</span>', html))
    assert unescape(faded) == '{"": ""}'


@pytest.mark.parametrize("n_more", [0, 1_234])
def test_a_long_text_says_what_is_left_out(n_more):
    segmentation = segment(get_tokenizer("utf8_bytes"), "a" * (MAX_SHOWN + n_more))
    html = tokens_html(segmentation, [], theme="light")
    assert html.count("<span") == MAX_SHOWN
    assert (f"… and {n_more:,} more tokens" in html) == ("more" in html) == bool(n_more)


@settings(max_examples=5)
@given(st.lists(st.dictionaries(st.text(min_size=1), st.text(), min_size=1), min_size=1, max_size=4))
def test_charts_can_be_made_of_any_data(data):
    tokenizers = [get_tokenizer("gpt2"), get_tokenizer("o200k_base")]
    table = measure(data, tokenizers)
    chart = cost_chart(table, ["gpt2", "o200k_base"], theme="dark").to_dict()
    drawn = {row["tokens"] for values in chart["datasets"].values() for row in values if "fidelity" in row}
    assert drawn == set(table.n_tokens["gpt2"].values())
    parts: dict[str, dict[Role, int]] = {"yaml": {"keys": 1, "values": 2, "punctuation": 3, "whitespace": 0}}
    assert roles_chart(parts, {"yaml": "equal"}, {"yaml": 4}, theme="light").to_dict()
    points = row_points(data, tokenizers[0], ["yaml"])
    assert growth_chart(points, x_title="rows", theme="light", is_per_row=True).to_dict()


MARKUP = st.text(st.sampled_from("a1 *_`~<>[](){}#+-=.!|&;:$\\\"'/@"), max_size=12)


@given(st.text())
def test_escaped_messages_keep_their_text(text):
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown_escape(text)).replace("\u2060", "") == text.replace(
        "\u2060", ""
    )


@given(
    MARKUP | st.sampled_from(["&amp;", "a\\*", "[a](b)", "![a](b)", "~~a~~", "<b>", "http://a.org", "# a"])
)
def test_a_markdown_reader_shows_what_was_typed(text):
    typed = f"x{text}x"  # white space at the ends of a paragraph is not shown
    html = cmarkgfm.github_flavored_markdown_to_html(markdown_escape(typed), Options.CMARK_OPT_UNSAFE)
    assert set(re.findall(r"<[^>]*>", html)) == {"<p>", "</p>"}
    assert unescape(re.sub(r"<[^>]*>", "", html)).strip().replace("\u2060", "") == typed


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("$x$", r"\$x\$"),
        (":smile: :red[a]", r"\:smile\: \:red\[a\]"),
        ("me@a.org", "me\u2060@a\\.org"),
        ("www.a.org", "www\u2060\\.a\\.org"),
    ],
)
def test_streamlits_extensions_of_markdown_are_escaped(text, escaped):
    assert markdown_escape(text) == escaped
