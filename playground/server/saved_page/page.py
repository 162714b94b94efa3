"""SavedPage: a figure with its data, its browser code and its words in one HTML file."""

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypedDict
from urllib.parse import quote

import regex

from playground.catalog.claude import ClaudeTokenizer
from playground.catalog.extended import without_own_special_tokens
from playground.catalog.recut import RecutTokenizer
from playground.core.home import VERSION
from playground.core.text_units import Column
from playground.core.tokenizer import Tokenizer
from playground.render.visible_text import shown_text
from playground.server.packed import pack_columns
from playground.server.web_files import WEB, imported_modules, look_css, markup, movable_source

#: Characters that a `data:` URL and JSON have as they are; others, such as "<" and line feeds, are escaped.
_AS_THEY_ARE = " !$&'()*+,-./:;=?@[]^_`{|}~>"
_NOT_IN_NAMES = regex.compile(r"[^\w.-]+")
_MAX_QUOTED = 60


class SavedFile(TypedDict):
    """A page as the browser saves it."""

    file_name: str
    html: str


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page that shows one figure; `html` is the file.

    `name` is the file's, without its ending. `caption` says in words what the figure shows, `hint` what a
    reader can do with it, and `made_from` names the tokenizers. `fallback` is HTML for a browser without
    scripts. `figure` is a file of markup or the markup itself, and `look` its style sheets, with `css` after
    them; both are those of the app's component where possible. `module` draws `header` and `columns` into the
    figure; "" if nothing is left to draw.
    """

    name: str
    title: str
    caption: str
    made_from: str
    figure: str
    look: Sequence[str]
    css: str = ""
    hint: str = ""
    fallback: str = ""
    module: str = ""
    header: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[Column] = ()

    @property
    def file_name(self) -> str:
        """The name of the file, of letters that every file system has.

        >>> SavedPage("tokens-my/tokenizer.json", "", "", "", "<p>", ()).file_name
        'tokens-my-tokenizer.json.html'
        """
        return f"{_NOT_IN_NAMES.sub('-', self.name)[:60]}.html"

    @property
    def file(self) -> SavedFile:
        """The name and the text of the file."""
        return {"file_name": self.file_name, "html": self.html}

    @property
    def html(self) -> str:
        """The page. The same figure gives the same bytes."""
        scripts = [_import_map(self.module), f'import "{self.module}";'] if self.module else []
        hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
        allowed = f"script-src {hashes} data:; " if scripts else ""
        kinds = ("importmap", "module")
        code = [
            f'<script type="{kind}">{script}</script>' for kind, script in zip(kinds, scripts, strict=False)
        ]
        packed = zlib.compress(pack_columns(self.header, self.columns), 9)
        data = f'<script type="text/plain" id="data">{base64.b64encode(packed).decode()}</script>'
        hides = "<style>.figure, .hint { display: none; }</style>" if self.module else ""
        whole = self.figure if self.figure.startswith("<") else markup(self.figure)
        return "\n".join(
            [
                "<!doctype html>",
                '<html lang="en">',
                "<head>",
                '<meta charset="utf-8">',
                '<meta http-equiv="Content-Security-Policy" content="'
                f"default-src 'none'; style-src 'unsafe-inline'; font-src data:; {allowed}"
                "base-uri 'none'; form-action 'none'\">",
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                f'<meta name="generator" content="Tessera {VERSION}">',
                f'<meta name="description" content="{escape(self.caption)}">',
                f"<title>{escape(self.title)}</title>",
                f"<style>{look_css()}{_styles(['saved_page/page.css'])}</style>",
                *code[:1],
                "</head>",
                "<body>",
                '<main><figure aria-labelledby="caption">',
                f"<h1>{escape(self.title)}</h1>",
                '<div class="figure"><template shadowrootmode="open">',
                f"<style>{_styles(['shared/controls.css', *self.look])}{self.css}</style>",
                f"{whole}</template></div>",
                f"<noscript>{hides}{self.fallback}</noscript>",
                f'<figcaption><span id="caption">{escape(self.caption)}</span>',
                f'<span class="hint">{escape(self.hint)}</span></figcaption>',
                "</figure></main>",
                f"<footer>{escape(self.made_from)} · Tessera {VERSION}</footer>",
                *([data, *code[1:]] if self.module else []),
                "</body>",
                "</html>",
                "",
            ]
        )


def named(tokenizer: Tokenizer, model: str = "") -> str:
    """Return a tokenizer's name after its model's; it says if tokens are reconstructed or split differently.

    >>> from playground.catalog.registry import get_tokenizer
    >>> named(get_tokenizer("gpt2")), named(get_tokenizer("claude_4_8"))
    ('gpt2', 'claude_4_8 (reconstructed)')
    >>> named(get_tokenizer("o200k_base"), "GPT-5")
    'GPT-5 (o200k_base)'
    """
    base = without_own_special_tokens(tokenizer)
    words = [model, tokenizer.name] if model else [tokenizer.name]
    if isinstance(base, ClaudeTokenizer):
        words.append("reconstructed")
    if isinstance(base, RecutTokenizer):
        words.append("with another split pattern")
    return f"{words[0]} ({', '.join(words[1:])})" if len(words) > 1 else words[0]


def in_quotes(text: str) -> str:
    """Return the beginning of a text in quotation marks, on one line.

    >>> in_quotes("a" * 100), in_quotes("two\\nlines"), in_quotes("")
    ('“aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…”', '“two lines”', 'An empty text')
    """
    begun = " ".join(map(shown_text, text[: 4 * _MAX_QUOTED].split())) or shown_text(text[: 2 * _MAX_QUOTED])
    if not begun:
        return "An empty text"
    return f"“{begun[:_MAX_QUOTED]}…”" if len(begun) > _MAX_QUOTED else f"“{begun}”"


def _styles(paths: Sequence[str]) -> str:
    return "".join((WEB / path).read_text(encoding="utf-8") for path in paths)


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _import_map(module: str) -> str:
    """Return an import map with a module and all that it imports, each as a `data:` URL."""
    urls = {
        path: f"data:text/javascript;charset=utf-8,{quote(movable_source(path), safe=_AS_THEY_ARE)}"
        for path in imported_modules(module)
    }
    return json.dumps({"imports": urls}, indent=0)
