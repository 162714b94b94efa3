"""Readers of each format that are independent of the app."""

import csv
import io
import warnings
from typing import Any

import cmarkgfm
import html5lib
import javaproperties
import json5
import lxml.etree
import markdown_it
import pyjson5
import rtoml
import toons
from cmarkgfm.cmark import Options
from ruamel.yaml import YAML


def read_yaml(text: str, version: tuple[int, int]) -> Any:
    """Read with ruamel.yaml, which knows the types of both YAML versions."""
    reader = YAML(typ="safe", pure=True)
    reader.version = version
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return reader.load(text)


def read_json5(text: str) -> Any:
    """Read with the json5 library, which keeps the halves of an escaped surrogate pair as two characters."""

    def joined(value: Any) -> Any:
        if isinstance(value, str):
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        if isinstance(value, list):
            return [joined(item) for item in value]
        return {joined(k): joined(v) for k, v in value.items()} if isinstance(value, dict) else value

    return joined(json5.loads(text))


def read_json(text: str) -> Any:
    return pyjson5.decode(text)


def read_json_lines(text: str) -> Any:
    return [pyjson5.decode(line) for line in text.split("\n") if line]


def read_toml(text: str) -> Any:
    return rtoml.loads(text)


def read_toon(text: str) -> Any:
    return toons.loads(text)


def read_properties(text: str) -> Any:
    return javaproperties.loads(text)


def read_xml(text: str) -> Any:
    """Read attributes and children by name, items as a list, else text; independent of the app's reader."""

    def value(element: Any) -> Any:
        children = list(element)
        if children and all(child.tag == "item" for child in children) and not element.attrib:
            return [value(child) for child in children]
        if not children and not element.attrib:
            return element.text or ""
        found = dict(element.attrib)
        for child in children:
            assert child.tag not in found, "for a list the app says that something is lost"
            found[child.tag] = value(child)
        return found

    parser = lxml.etree.XMLParser(resolve_entities=False, huge_tree=True)
    return value(lxml.etree.fromstring(text.encode(), parser))


def csv_cells(text: str, delimiter: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


def html_cells(text: str) -> list[list[str]]:
    """Return the text of each cell as a browser parses it; a line break is a line feed."""
    tree = html5lib.parse(text, namespaceHTMLElements=False)

    def shown(element: Any) -> str:
        parts = [element.text or ""]
        for child in element:
            parts += ["\n" if child.tag == "br" else shown(child), child.tail or ""]
        return "".join(parts)

    (table,) = tree.iter("table")
    return [[shown(cell) for cell in row if cell.tag in ("th", "td")] for row in table.iter("tr")]


def github_markdown_cells(text: str) -> list[list[str]]:
    """Return the cells that GitHub's own reader shows."""
    return html_cells(cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE))


def markdown_it_cells(text: str) -> list[list[str]]:
    reader = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return html_cells(reader.render(text))
