"""A saved page is small, is the same each time, and keeps what a person typed as data."""

import base64
import hashlib
import json
import zlib
from functools import partial
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
import regex

from playground.analysis.examples import COMPARE_EXAMPLES, MERGE_TREE_EXAMPLES, TOKENIZE_EXAMPLES
from playground.analysis.live_comparison import LiveComparison
from playground.catalog.registry import get_tokenizer
from playground.formats.costs import measure
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.offloading import open_document
from playground.server.editor.session import EditorSession
from playground.server.saved_page.compare import saved_comparison
from playground.server.saved_page.film import saved_film
from playground.server.saved_page.formats import saved_formats
from playground.server.saved_page.merge_tree import saved_trees
from playground.server.saved_page.tokens import saved_tokens
from playground.server.train.session import TrainSession
from playground.shell.main import main
from playground.training.corpora import Corpus
from playground.training.run import RunSettings
from tests.server.browser_side import read_columns

MAX_BYTES = 300_000
IMPORTED = regex.compile(r'(?m)^(?:import|export)\b(?:[^;"]*\bfrom)? ?"([^"]+)"')
#: Tags for each line or change of what a browser without scripts shows.
IN_FALLBACKS = {"li", "br"}
CORPUS = "".join(example.text for example in TOKENIZE_EXAMPLES) * 20
DATA = next(iter(EXAMPLE_DATA.values()))()
HOSTILE = (
    "</script><script>alert(1)</script> <!-- ]]> <img src=x onerror=alert(1)> </template></style> "
    "\u2028\u2029\0\u202e\ud800 &lt;b&gt; \"'` ${x}"
)


def tokens(text=TOKENIZE_EXAMPLES[0].text):
    session = EditorSession(get_tokenizer("o200k_base"))
    session.document.replace(text)
    return saved_tokens(session)


def comparison(text=COMPARE_EXAMPLES[0].text):
    tokenizers = [get_tokenizer(name) for name in ("gpt2", "cl100k_base", "o200k_base")]
    return saved_comparison(LiveComparison(text, tokenizers))


def trees(text=MERGE_TREE_EXAMPLES[0].text):
    return saved_trees(text, get_tokenizer("gpt2"))


def film(text=CORPUS, *, vocab_size=1256):
    session = TrainSession()
    session.start(Corpus("texts", (text,)), RunSettings(vocab_size=vocab_size))
    session.shown[0].run.wait()
    return saved_film(session)


def formats(text=DATA):
    tokenizers, document = [get_tokenizer(name) for name in ("gpt2", "o200k_base")], open_document(text)
    n_given = {tokenizer.name: len(tokenizer.encode(text)) for tokenizer in tokenizers}
    table = measure(document.data, tokenizers, read_as=document.input_format)
    return saved_formats(table, tokenizers, input_format=document.input_format, n_given=n_given)


KINDS = [tokens, comparison, trees, film, formats]


class Page(HTMLParser):
    """The tags of a page, its scripts by type, and its attributes that name an address."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.scripts, self.addresses, self.policy = [], {}, [], ""
        self.open_script = None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in {"src", "href", "action", "data"}]
        self.open_script = found.get("type") if tag == "script" else None
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"]

    def handle_data(self, data):
        if self.open_script:
            self.scripts[self.open_script] = data
            self.open_script = None


@pytest.mark.parametrize("make", KINDS)
def test_a_page_of_an_example_is_small_and_the_same_each_time(make):
    html = make().html
    assert len(html.encode()) < MAX_BYTES
    assert make().html == html


@pytest.mark.parametrize("make", [tokens, comparison, trees, partial(film, vocab_size=300)])
def test_a_text_stays_data_and_a_page_runs_only_its_own_code(make):
    plain, page = Page(make("A plain text, " * 9).html), Page(make(HOSTILE * 2).html)
    assert set(page.tags) - IN_FALLBACKS == set(plain.tags) - IN_FALLBACKS
    assert page.tags.count("script") == 3
    assert page.addresses == []
    header, _ = read_columns(zlib.decompress(base64.b64decode(page.scripts["text/plain"])))
    shown = header.get("text") or header.get("cuts", {}).get("text", "")  # none of trees, a part of a film
    assert shown in (HOSTILE * 2).replace("\ud800", "\ufffd")
    urls = json.loads(page.scripts["importmap"])["imports"]
    code = {path: unquote(url.partition(",")[2]) for path, url in urls.items()}
    sources = [*code.values(), page.scripts["module"]]
    assert {target for source in sources for target in IMPORTED.findall(source)} == set(code)
    for kind in ("importmap", "module"):
        digest = base64.b64encode(hashlib.sha256(page.scripts[kind].encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page.policy
    assert page.policy.startswith("default-src 'none'; ")
    assert "http" not in page.policy


def test_data_stays_data():
    plain, hostile = formats('[{"a": 1}]'), formats(json.dumps([{HOSTILE: HOSTILE}]))
    assert set(Page(hostile.html).tags) - {"tr"} <= {*Page(plain.html).tags, "details", "summary", "ul", "li"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["film", "-t", "gpt2"], "--tokenizer is for tokens, compare, tree and formats; omit it"),
        (["tree", "--allow-special"], "--allow-special is for tokens; omit it"),
        (["tokens", "--vocab-size", "300"], "--vocab-size is for film; omit it"),
    ],
)
def test_the_shell_refuses_an_option_that_the_figure_does_not_read(
    words, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("low lower lowest")
    figure, *options = words
    assert main(["export", figure, "a.txt", *options]) == 1
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [tmp_path / "a.txt"]
