"""Write and read XML, with values as elements or as attributes; all values are text."""

import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.sax.saxutils import escape, quoteattr

import defusedxml.ElementTree
from defusedxml.common import DefusedXmlException

from playground.core.errors import CannotHoldError, DataSyntaxError
from playground.core.short_texts import MAX_CHARACTERS
from playground.core.wording import listed
from playground.formats.limits import MAX_DEPTH, iter_values, too_deep
from playground.formats.roles import roles_by
from playground.formats.values import Data, WriteOptions, key_text, scalar_text

iter_xml_roles = roles_by(
    r'</?(?P<keys>[^\s<>/?!]+)|(?P<keys_2>[^\s=<>"/]+)(?==")|="(?P<values>[^"]*)"|>(?P<values_2>[^<]*[^<\s][^<]*)'
)

_ROOT, _ITEM = "data", "item"
_MAX_SHOWN = 3  # of names in a note
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_NAME = re.compile(r"[^\w.-]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_TEXT_ESCAPES = {"\r": "&#13;"}
_ATTRIBUTE_ESCAPES = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


def write_xml(data: Data, options: WriteOptions, *, has_attributes: bool = False) -> str:
    """Return XML: an object's keys are elements, and list items are `item`s. Raises CannotHoldError.

    >>> write_xml({"a": [1], "b": "<"}, WriteOptions(is_minified=True))
    '<data><a><item>1</item></a><b>&lt;</b></data>'
    >>> write_xml({"a": [{"b": "<"}]}, WriteOptions(is_minified=True), has_attributes=True)
    '<data><a><item b="&lt;"/></a></data>'
    """
    newline, indent = ("", "") if options.is_minified else ("\n", " " * options.indent)
    lines: list[str] = []
    _add_element(_ROOT, data, "", indent, has_attributes, lines)
    text = newline.join(lines)
    bad = _FORBIDDEN.search(text)
    if bad:
        raise CannotHoldError(f"XML has no way to write U+{ord(bad[0]):04X}, which the data holds")
    if not options.is_ascii or text.isascii():
        return text
    name = next((key for key in _iter_keys(data) if not _name(key).isascii()), None)
    if name is not None:
        raise CannotHoldError(
            f"XML has escapes in values and none in names, and the key {name!r} is not ASCII"
        )
    return text.encode("ascii", "xmlcharrefreplace").decode()


def read_xml(text: str) -> Data:
    """Return elements as data: attributes and children are keys, repeated children lists, all else text.

    >>> read_xml("<r id='7'><tag>a</tag><tag>b</tag></r>")
    {'id': '7', 'tag': ['a', 'b']}

    Raises DataSyntaxError, also for any entity that the document defines or fetches.
    """
    return read_xml_with_notes(text)[0]


def read_xml_with_notes(text: str) -> tuple[Data, list[str]]:
    """Return what `read_xml` returns, and a note if texts among elements lose their place.

    >>> read_xml_with_notes("<p>Press <b>Go</b> now</p>")[1]
    ['Text between elements in <p> is joined under #text, and its order is lost.']
    """
    try:
        root = _parse(text)
    except DefusedXmlException as error:
        raise DataSyntaxError(
            f"the XML defines or fetches entities, which are not read ({type(error).__name__})"
        ) from None
    except ParseError as error:
        line, column = error.position
        reason = str(error).split(":", 1)[0]
        raise DataSyntaxError(f"not valid XML: {reason}", line=line, column=column + 1) from None
    _check_depth(root)
    mixed: dict[str, None] = {}
    data = _element_data(root, mixed)
    if not mixed:
        return data, []
    names = listed([f"<{name}>" for name in [*mixed][:_MAX_SHOWN]])
    more = f" and {len(mixed) - _MAX_SHOWN:,} more" if len(mixed) > _MAX_SHOWN else ""
    return data, [f"Text between elements in {names}{more} is joined under #text, and its order is lost."]


def _parse(text: str) -> Element:
    """Return the root element. Without a `<!DOCTYPE`, no entity can be defined, and C's parser is safe."""
    return defusedxml.ElementTree.fromstring(text) if "<!DOCTYPE" in text else fromstring(text)


def _check_depth(root: Element) -> None:
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for element in level for child in element]
        if not level:
            return
    raise too_deep()


def _element_data(element: Element, mixed: dict[str, None]) -> Data:
    """Return the data of an element; names of elements with text among children are added to `mixed`."""
    children = list(element)
    if not children and not element.attrib:
        return element.text or ""
    is_list = children and not element.attrib and all(child.tag == _ITEM for child in children)
    if is_list and not _texts_of(element):
        return [_element_data(child, mixed) for child in children]
    found: dict[str, Data] = dict(element.attrib)
    n_of: dict[str, int] = dict.fromkeys(found, 1)
    for child in children:
        value = _element_data(child, mixed)
        n_of[child.tag] = n_of.get(child.tag, 0) + 1
        if n_of[child.tag] == 1:
            found[child.tag] = value
        elif n_of[child.tag] == 2:
            found[child.tag] = [found[child.tag], value]
        else:
            found[child.tag].append(value)
    text = "".join(_texts_of(element))
    if text and children:
        mixed[element.tag] = None
    return {**found, "#text": text} if text else found


def _texts_of(element: Element) -> list[str]:
    """Return the texts before, between and after the children of an element, without blank ones."""
    texts = [element.text, *(child.tail for child in element)]
    return [text for text in texts if text and text.strip()]


def _add_element(
    name: str, data: Data, margin: str, indent: str, has_attributes: bool, lines: list[str]
) -> None:
    attributes = ""
    if isinstance(data, dict):
        pairs = [(_name(key), value) for key, value in data.items()]
        if has_attributes:
            scalars = [(key, value) for key, value in pairs if not isinstance(value, (dict, list))]
            pairs = [(key, value) for key, value in pairs if isinstance(value, (dict, list))]
            attributes = "".join(
                f" {key}={_quoted(scalar_text(value))}"
                for key, value in dict(scalars).items()
                if value is not None
            )
    elif isinstance(data, list):
        pairs = [(_ITEM, value) for value in data]
    else:
        text = escape(scalar_text(data), _TEXT_ESCAPES)
        lines.append(f"{margin}<{name}>{text}</{name}>" if text else f"{margin}<{name}/>")
        return
    if not pairs:
        lines.append(f"{margin}<{name}{attributes}/>")
        return
    lines.append(f"{margin}<{name}{attributes}>")
    for key, value in pairs:
        _add_element(key, value, margin + indent, indent, has_attributes, lines)
    lines.append(f"{margin}</{name}>")


def _quoted(text: str) -> str:
    quoted = quoteattr(text, _ATTRIBUTE_ESCAPES)
    # Always double quotes, whatever the value contains.
    return quoted if quoted.startswith('"') else '"' + quoted[1:-1].replace('"', "&quot;") + '"'


def _iter_keys(data: Data) -> Iterator[Data]:
    return (key for key, _, is_key in iter_values(data) if is_key)


def _name(key: Data) -> str:
    text = key_text(key)
    return (_short_element_name if len(text) <= MAX_CHARACTERS else _element_name)(text)


def _element_name(text: str) -> str:
    """Return a valid name for an element or attribute; other characters become underscores."""
    name = _NOT_IN_NAME.sub("_", text)
    name = name if name and (name[0].isalpha() or name[0] == "_") else f"_{name}"
    if not name.isascii():
        try:
            fromstring(f"<{name}/>")
        except ParseError:  # the parser's table of letters is older than Python's
            name = _NOT_ASCII.sub("_", name)
    return name


_short_element_name = lru_cache(maxsize=10_000)(_element_name)
