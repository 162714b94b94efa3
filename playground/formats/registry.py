"""The table of formats. To add one, add an entry: pages, shell and tests use it."""

import json
from functools import partial

from playground.formats import json_formats, settings_formats, tables, xml_formats, yaml_formats
from playground.formats.values import Format
from playground.formats.yaml_reading import read_yaml

#: The baselines of every other format.
PRETTY_JSON, COMPACT_JSON = "json_pretty", "json_compact"
#: What `json.dumps(x)` writes.
DEFAULT_JSON = "json_dumps"
#: The readers of tables, by which types are lost: `Format.read` and `Format.read_otherwise`.
_TABLE_READERS = ("pandas", "Arrow")

_ENTRIES = [
    Format(
        name=PRETTY_JSON,
        label="JSON, pretty",
        suffix="json",
        write=partial(json_formats.write_json, indent=2),
        read=json.loads,
        iter_roles=json_formats.iter_json_roles,
        grows_by=("indent",),
    ),
    Format(
        name="json_pretty_4",
        label="JSON, pretty (4)",
        suffix="json",
        write=partial(json_formats.write_json, indent=4),
        read=json.loads,
        iter_roles=json_formats.iter_json_roles,
        grows_by=("indent",),
    ),
    Format(
        name=DEFAULT_JSON,
        label="JSON, json.dumps()",
        suffix="json",
        write=json_formats.write_default_json,
        read=json.loads,
        iter_roles=json_formats.iter_json_roles,
    ),
    Format(
        name=COMPACT_JSON,
        label="JSON, compact",
        suffix="json",
        write=json_formats.write_json,
        read=json.loads,
        iter_roles=json_formats.iter_json_roles,
    ),
    Format(
        name="json_lines",
        label="JSON Lines",
        suffix="jsonl",
        write=json_formats.write_json_lines,
        read=json_formats.read_json_lines,
        iter_roles=json_formats.iter_json_roles,
    ),
    Format(
        name="json5",
        label="JSON5 with bare keys",
        suffix="json5",
        write=json_formats.write_json5,
        read=json_formats.read_json5,
        iter_roles=json_formats.iter_literal_roles,
    ),
    Format(
        name="yaml",
        label="YAML",
        suffix="yaml",
        write=yaml_formats.write_yaml,
        read=read_yaml,
        iter_roles=yaml_formats.iter_yaml_roles,
        grows_by=("indent",),
    ),
    Format(
        name="yaml_flow",
        label="YAML, flow",
        suffix="yaml",
        write=yaml_formats.write_yaml_flow,
        read=read_yaml,
        iter_roles=yaml_formats.iter_yaml_roles,
    ),
    Format(
        name="toml",
        label="TOML",
        suffix="toml",
        write=settings_formats.write_toml,
        read=settings_formats.read_toml,
        iter_roles=settings_formats.iter_toml_roles,
        grows_by=("path", "indent"),
    ),
    Format(
        name="xml_elements",
        label="XML, elements",
        suffix="xml",
        write=xml_formats.write_xml,
        read=xml_formats.read_xml,
        iter_roles=xml_formats.iter_xml_roles,
        grows_by=("indent",),
    ),
    Format(
        name="xml_attributes",
        label="XML, attributes",
        suffix="xml",
        write=partial(xml_formats.write_xml, has_attributes=True),
        read=xml_formats.read_xml,
        iter_roles=xml_formats.iter_xml_roles,
        grows_by=("indent",),
    ),
    Format(
        name="csv",
        label="CSV",
        suffix="csv",
        write=tables.write_csv,
        read=tables.read_csv,
        iter_roles=tables.iter_csv_roles,
        read_otherwise=tables.read_csv_with_dates,
        readers=_TABLE_READERS,
    ),
    Format(
        name="tsv",
        label="TSV",
        suffix="tsv",
        write=partial(tables.write_csv, delimiter="\t"),
        read=partial(tables.read_csv, delimiter="\t"),
        iter_roles=partial(tables.iter_csv_roles, delimiter="\t"),
        read_otherwise=partial(tables.read_csv_with_dates, delimiter="\t"),
        readers=_TABLE_READERS,
    ),
    Format(
        name="markdown",
        label="Markdown table",
        suffix="md",
        write=tables.write_markdown,
        read=tables.read_markdown,
        iter_roles=tables.iter_markdown_roles,
        read_otherwise=tables.read_markdown_with_dates,
        readers=_TABLE_READERS,
    ),
    Format(
        name="html",
        label="HTML table",
        suffix="html",
        write=tables.write_html,
        read=tables.read_html,
        iter_roles=tables.iter_html_roles,
        read_otherwise=tables.read_html_with_dates,
        readers=_TABLE_READERS,
    ),
    Format(
        name="properties",
        label="Properties",
        suffix="properties",
        write=settings_formats.write_properties,
        read=settings_formats.read_properties,
        iter_roles=settings_formats.iter_properties_roles,
        grows_by=("path",),
    ),
    Format(
        name="python",
        label="Python literal",
        suffix="py",
        write=json_formats.write_literal,
        read=json_formats.read_literal,
        iter_roles=json_formats.iter_literal_roles,
    ),
    Format(
        name="toon",
        label="TOON",
        suffix="toon",
        write=settings_formats.write_toon,
        read=settings_formats.read_toon,
        iter_roles=settings_formats.iter_toon_roles,
    ),
]

#: Formats by name, in the order of menus.
FORMATS: dict[str, Format] = {entry.name: entry for entry in _ENTRIES}
