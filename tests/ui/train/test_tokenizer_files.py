"""Tokenizer files that are made to do harm, through the door that a visitor uses: each ends in a sentence."""

import base64
import os
import signal
import time
from dataclasses import dataclass

import pytest

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog import opened
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.files.registry import FILE_FORMATS
from playground.server.train.session import TrainSession
from playground.training.corpora import Corpus
from playground.training.run import RunSettings
from playground.ui import kept_tokenizers, tokenizer_files
from playground.ui.tokenizer_files import FileOpener
from playground.workers import pool
from playground.workers.process import CancelledError
from tests.ui.train.tokenizer_file_visits import is_reading, read_files
from tests.ui.visits import visit

BYTES = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)]
SMALL = "minbpe v1\n\n0\n97 97\n256 97\n"


@pytest.fixture(scope="module")
def training():
    """One small run for all visits: the panel with the files needs one."""
    session = TrainSession()
    session.start(Corpus("Example", ("aaab",)), RunSettings())
    deadline = time.monotonic() + 60
    while session.run is None or session.run.is_active:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    yield session
    session.close()


@pytest.fixture
def opener(monkeypatch):
    found = FileOpener()
    monkeypatch.setattr(tokenizer_files, "file_opener", lambda: found)
    yield found
    found.end()


@pytest.fixture(scope="module")
def visited_page():
    """A page that has read other files before; without a run it draws little else in each of many runs."""
    found, nothing_learned = FileOpener(), TrainSession()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tokenizer_files, "file_opener", lambda: found)
        patched.setattr("playground.ui.train.view.train_session", lambda: nothing_learned)
        yield visit("train")
    found.end()


@pytest.fixture
def page(training, opener, monkeypatch):
    monkeypatch.setattr("playground.ui.train.view.train_session", lambda: training)
    return visit("train", {"train.panel": "Keep and export"})


@pytest.fixture
def page_without_run(opener, monkeypatch):
    nothing_learned = TrainSession()
    monkeypatch.setattr("playground.ui.train.view.train_session", lambda: nothing_learned)
    return visit("train")


@pytest.fixture
def own_pool(monkeypatch):
    own = pool.Pool()
    monkeypatch.setattr(pool, "_POOL", own)
    yield own
    own.close()


def kept(page):
    return page.session_state["keep.trained_tokenizers"]


def told(page):
    """What the page says of the file, without the marks of Markdown."""
    assert len(page.error) + len(page.success) == 1
    return (*page.error, *page.success)[0].value.replace("\\", "")


def model_file(merges, special=()):
    lines = ["minbpe v1", "", str(len(special)), *special, *(f"{left} {right}" for left, right in merges)]
    return "\n".join(lines).encode()


def doublings(n):
    return model_file([(97, 97), *((256 + k, 256 + k) for k in range(n - 1))])


def ranks_file(*tokens):
    lines = [f"{base64.b64encode(raw).decode()} {rank}" for rank, raw in enumerate(tokens, start=256)]
    return "\n".join([*BYTES, *lines]).encode()


def halves(n_bytes):
    """A token of so many equal bytes and its halves, down to two."""
    return [b"a" * 2**k for k in range(1, n_bytes.bit_length())]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.model", doublings(20), "its token has 32,768 bytes; the limit is 16,384"),
        ("x.model", doublings(40), "its token has 32,768 bytes; the limit is 16,384"),
        (
            "x.model",
            model_file([(97, 97), *((256 + k, 97) for k in range(60_000))]),
            "line 5795: all tokens up to here have 16,782,320 bytes; the limit is 16,777,216",
        ),
        ("x.model", model_file([], [f"<s> {10**9}"]), "x: byte-level BPE · 257 tokens"),
        ("x.model", model_file([], [f"<s> {4 * 10**9}"]), "4000000000 is no id"),
        ("x.model", model_file([], ["<s> -1"]), "'-1' is not a whole number"),
        ("x.model", model_file([(10**30, 97)]), "is not a whole number"),
        ("x.model", model_file([], [f"<{n}> {n}" for n in range(10**5)]), "the limit is 10,000"),
        ("x.model", b"minbpe v1\n(a|a)*[bc]\n0\n", "takes too long"),
        ("x.model", b"minbpe v1\n(?R)a|b\n0\n", "calls itself"),
        ("x.model", b"minbpe v1\n" + b"(" * 6000 + b"\n0\n", "the pattern has 6,000 characters"),
        ("x.model", b"minbpe v1\n(((a{1000}){1000}){1000})\n0\n", "come to more than"),
        ("x.tiktoken", ranks_file(*halves(2**14)), "x: byte-level BPE · 270 tokens"),
        ("x.tiktoken", ranks_file(b"a" * 2**14), "is not made of two tokens of lower rank"),
        ("x.tiktoken", ranks_file(b"a" * 2**16), "65,536 bytes in its longest token"),
        ("x.json", b"[" * 100_000, "nested too deeply"),
        (
            "x.json",
            b'{"a": 1' + b"".join(b', "%d": 1' % n for n in range(100_000)) + b', "a": 2}',
            "comes twice",
        ),
    ],
    ids=lambda value: value[:24].decode(errors="replace") if isinstance(value, bytes) else value[:30],
)
def test_a_file_that_does_harm_ends_in_a_sentence_or_a_tokenizer(
    name, content, words, visited_page, monkeypatch
):
    """What the server's own process reads is small and holds no pattern; it stays alive, and the page too."""
    page = visited_page
    read_here = []
    read_and_try = opened.read_and_try

    def noted(files, pattern):
        read_here.append(files)
        return read_and_try(files, pattern)

    monkeypatch.setattr(opened, "read_and_try", noted)
    read_files(page, (name, content))
    assert words in told(page).replace("x-270: ", "x: ")  # another x may be kept by then
    for files in read_here:
        assert len(files[name]) <= opened.MAX_BYTES_HERE
        assert name.endswith(".tiktoken")
    if page.success:
        assert kept(page)[next(reversed(kept(page)))].encode("aaaa b")


def test_after_them_the_page_reads_a_file_still(visited_page):
    """One for all of them: each but the first is read by a page that has read the one before."""
    read_files(visited_page, ("after.model", SMALL.encode()))
    assert told(visited_page).startswith("after: byte-level BPE · 258 tokens.")


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"SECONDS": 0.0}, "reading this tokenizer took more than 0 s, the limit"),
        ({"MEMORY_BYTES": 20_000_000}, "reading this tokenizer needed more than 20 MB of memory, the limit"),
    ],
)
def test_a_limit_that_is_passed_is_told_and_the_page_lives_on(
    limits, words, page_without_run, own_pool, monkeypatch
):
    page = page_without_run
    with monkeypatch.context() as patched:
        for name, limit in limits.items():
            patched.setattr(opened, name, limit)
        merges = [(left, right) for left in range(256) for right in range(256)]
        read_files(page, ("large.model", model_file(merges)))
        assert told(page) == words
    read_files(page, ("large.model", SMALL.encode()))
    assert told(page).startswith("large: byte-level BPE · 258 tokens.")


@pytest.fixture
def slow(monkeypatch, tmp_path):
    """A process takes long to read."""
    run = pool.run

    def wait(_function, *_arguments, **how):
        return run("tests.workers.work.wait_for_file", str(tmp_path / "never"), 60.0, **how)

    monkeypatch.setattr(pool, "run", wait)


@pytest.mark.usefixtures("slow")
def test_a_worker_that_is_killed_is_told_and_the_page_is_not_stuck(page, own_pool):
    uploader = page.file_uploader(key="train-import")
    uploader.set_value([("x.model", SMALL.encode(), "text/plain")]).run()
    assert is_reading(page)
    page.text_input(key="train.name").set_value("other").run()
    page.button(key="train-keep").click().run()
    assert "other" in kept(page), "the page is used while it reads"
    deadline = time.monotonic() + 30
    while not any(process.is_alive for process in own_pool.busy):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    (process,) = own_pool.busy
    os.kill(process._child.pid, signal.SIGKILL)
    while is_reading(page):
        assert time.monotonic() < deadline
        page.run()
    assert "reading this tokenizer ended its process (signal 9)" in told(page)


@pytest.mark.usefixtures("slow")
def test_reading_is_stopped_by_a_button_and_ends_with_the_tab(page_without_run, opener, own_pool):
    page = page_without_run
    uploader = page.file_uploader(key="train-import")
    uploader.set_value([("x.model", SMALL.encode(), "text/plain")]).run()
    work = opener.opening.work
    page.button(key="train-import-stop").click().run()
    with pytest.raises(CancelledError):
        work.result()
    page.run()
    assert told(page).startswith("Reading was stopped.")
    uploader = page.file_uploader(key="train-import")
    uploader.set_value([("y.model", SMALL.encode(), "text/plain")]).run()
    work = opener.opening.work
    opener.end()  # what a closed tab does
    with pytest.raises(CancelledError):
        work.result()
    assert not own_pool.busy


def test_a_file_is_read_once_and_small_ones_need_no_process(page_without_run, own_pool, monkeypatch):
    page = page_without_run
    monkeypatch.setattr(pool, "run", None)
    content = ranks_file(b"aa")
    read_files(page, ("mine.tiktoken", content))
    first = kept(page)["mine"]
    page.run()
    assert kept(page)["mine"] is first
    assert told(page).startswith("mine: byte-level BPE · 257 tokens.")


def test_a_process_reads_what_is_read_here(own_pool):
    model = BpeModel(SplitPattern.typed("a+|[^a]+"), ((97, 97, 256),)).with_special_tokens(("<|a|>",))
    for name in ("minbpe", "tokenizer.json"):
        files = {file: text.encode() for file, text in FILE_FORMATS[name].write(model, "x").items()}
        assert opened.open_files(files, SplitPattern.named("gpt2")) == model
    with pytest.raises(InvalidInputError, match=r"no tokenizer format is called 'x\.bin'"):
        opened.open_files({"x.bin": b"x"}, model.pattern)


def tokenizer_of(name, n_merges=1):
    merges = tuple((97, 97 + k, 256 + k) for k in range(n_merges))
    return TrainedTokenizer(name, BpeModel(SplitPattern.named("none"), merges))


def test_as_many_tokenizers_are_kept_as_there_is_room_for(page, monkeypatch):
    monkeypatch.setattr(kept_tokenizers, "MAX_TOKENIZERS", 2)
    for name in ("a", "b"):
        read_files(page, (f"{name}.tiktoken", ranks_file(b"aa")))
    read_files(page, ("c.tiktoken", ranks_file(b"aa")))
    assert told(page) == (
        "2 tokenizers are kept in this session, the limit; remove one under Kept tokenizers"
    )
    page.text_input(key="train.name").set_value("d").run()
    page.button(key="train-keep").click().run()
    assert "2 tokenizers are kept" in page.error[0].value
    read_files(page, ("b.tiktoken", ranks_file(b"aa")))
    assert "b: byte-level BPE" in told(page), "one that is kept already needs no room"
    assert [*kept(page)] == ["a", "b"]
    page.menu_button(key="kept.remove").click("b").run()
    assert [*kept(page)] == ["a"]
    assert list(page.success) == [], "the file is there still, but no tokenizer of it is kept"
    told_kept = "1 tokenizer, about 0.2 MB: a (byte-level BPE · 257 tokens)"
    assert told_kept in [caption.value for caption in page.caption]
    read_files(page, ("c.tiktoken", ranks_file(b"aa")))
    assert [*kept(page)] == ["a", "c"]


def test_the_memory_of_kept_tokenizers_is_bounded(page, monkeypatch):
    size = tokenizer_of("a").n_bytes_held
    monkeypatch.setattr(kept_tokenizers, "MAX_BYTES", 2 * size)
    for name in ("a", "b"):
        read_files(page, (f"{name}.tiktoken", ranks_file(b"aa")))
    read_files(page, ("c.tiktoken", ranks_file(b"aa")))
    assert told(page) == (
        "with c the tokenizers of this session would take 0.7 MB of memory; the limit is 0.5 MB; "
        "remove one under Kept tokenizers, such as a"
    )
    told_kept = "a (byte-level BPE · 257 tokens), b (byte-level BPE · 257 tokens)"
    assert f"2 tokenizers, about 0.5 MB: {told_kept}" in [c.value for c in page.caption]
    monkeypatch.setattr(kept_tokenizers, "_kept_by_all", {1: tokenizer_of("other's", 1_000)})
    monkeypatch.setattr(kept_tokenizers, "max_bytes_of_all", lambda: 3 * size)
    read_files(page, ("a.tiktoken", ranks_file(b"aa")))
    assert told(page) == "this server keeps as many tokenizers of visitors as it can; try again later"


@dataclass(frozen=True)
class Chosen:
    """A file as Streamlit's uploader gives it."""

    name: str
    content: bytes
    file_id: str

    def getvalue(self):
        return self.content


BROKEN = Chosen("broken.model", b"not a model", "1")
MODEL = BpeModel(SplitPattern.named("gpt2"), ((97, 97, 256),))
ENCODER, MERGES = (
    Chosen(name, text.encode(), name) for name, text in FILE_FORMATS["gpt2"].write(MODEL, "two").items()
)
ONE, OTHER = (Chosen(f"{name}.model", SMALL.encode(), name) for name in ("one", "other"))


def opened_of(opener, *files, pattern="gpt2"):
    """The file that the tokenizer is called after, or what is told in its place."""
    opener.begin(files, SplitPattern.named(pattern))
    try:
        return opener.opening.work.result().title
    except PlaygroundError as error:
        return str(error)


def test_a_file_that_is_chosen_beside_others_is_added_to_them_or_replaces_them(opener):
    assert "broken.model is no SentencePiece model" in opened_of(opener, BROKEN)
    assert opened_of(opener, BROKEN, ONE) == "one.model"
    assert opened_of(opener, BROKEN, ONE, pattern="cl100k") == "one.model", (
        "no file is new: the same as before"
    )
    assert opened_of(opener, BROKEN, ONE, OTHER) == "other.model"
    assert "vocab.bpe" in opened_of(opener, BROKEN, ONE, OTHER, ENCODER)
    opener.end()
    assert "vocab.bpe" in opened_of(opener, ENCODER)
    assert opened_of(opener, ENCODER, MERGES) == ENCODER.name, "two files of one tokenizer"
    assert "broken.model is no SentencePiece model" in opened_of(opener, ENCODER, MERGES, BROKEN)
    opener.end()
    for files in ((BROKEN,), (BROKEN, ENCODER), (BROKEN, ENCODER, MERGES)):
        told = opened_of(opener, *files)
    assert told == ENCODER.name, "a file of before that was refused goes with neither"


def named(name, content, file_id):
    return Chosen(name, content.encode() if isinstance(content, str) else content, file_id)


def test_two_files_of_one_name_are_two_tokenizers_and_one_file_twice_is_one(page_without_run):
    page = page_without_run
    first, second = (ranks_file(raw) for raw in (b"aa", b"bb"))
    third = ranks_file(b"aa", b"bb")
    for content in (first, second, first, third, second):
        read_files(page, ("tokenizer.tiktoken", content))
    assert {name: [*kept(page)[name].encode("aabb")] for name in kept(page)} == {
        "tokenizer": [256, 98, 98],
        "tokenizer-257": [97, 97, 256],
        "tokenizer-258": [256, 257],
    }
    assert told(page) == (
        "tokenizer-257: byte-level BPE · 257 tokens. It is now in every picker. "
        "tokenizer is another tokenizer, which stays."
    )
    read_files(page, ("tokenizer.tiktoken", ranks_file(b"cc")))
    assert told(page).startswith("tokenizer-257-2: byte-level BPE · 257 tokens.")


def test_what_lies_beside_one_tokenizer_goes_with_no_other(opener, monkeypatch):
    monkeypatch.setattr(tokenizer_files, "keep_tokenizer", lambda _: None)
    monkeypatch.setattr("playground.ui.state.trained_tokenizers", dict)
    written = FILE_FORMATS["tokenizer.json"].write(MODEL, "x").popitem()[1]
    own = [
        named("tokenizer.json", written.replace("}", "}" + space, 1), f"own{space}") for space in ("", " ")
    ]
    template = [named("tokenizer_config.json", f'{{"chat_template": "{n}"}}', f"config{n}") for n in "12"]
    opened, names = [], []
    for n_files in range(1, 5):
        files = [own[0], template[0], own[1], template[1]][:n_files]
        opener.begin(files, SplitPattern.named("gpt2"))
        opener.opening.work.wait(30)
        read = opener.opening.work.result()
        opened.append((*read.used, getattr(read.model, "config", None) and read.model.config.templates))
        names.append(opener.opening.before)
        opener.opening.settle()
    assert opened == [
        ("own", None),
        ("own", "config1", {"default": "1"}),
        ("own ", None),
        ("own ", "config2", {"default": "2"}),
    ]
    assert names == ["", "tokenizer", "", "tokenizer"], "a config takes its tokenizer's place"


def test_what_lies_beside_a_renamed_tokenizer_takes_its_place(opener, monkeypatch):
    monkeypatch.setattr(tokenizer_files, "keep_tokenizer", lambda _: None)
    monkeypatch.setattr("playground.ui.state.trained_tokenizers", dict)
    files = [ONE, named("tokenizer_config.json", '{"chat_template": ""}', "config")]
    names = []
    for n_files, new in ((1, "first"), (2, "second"), (1, "third")):
        opener.begin(files[:n_files], SplitPattern.named("gpt2"))
        opener.opening.work.wait(30)
        opener.opening.settle()
        names.append(opener.opening.name)
        opener.rename(opener.opening.name, new)
    assert names == ["one", "first", "second"]


def test_a_run_that_is_ended_while_it_keeps_a_tokenizer_leaves_that_to_the_next(opener, monkeypatch):
    opener.begin((ONE,), SplitPattern.named("gpt2"))
    opener.opening.work.wait(30)
    kept = []

    def end_once(tokenizer):
        kept.append(tokenizer.name)
        if len(kept) == 1:
            raise SystemExit  # as Streamlit ends a run: by no Exception

    monkeypatch.setattr(tokenizer_files, "keep_tokenizer", end_once)
    with pytest.raises(SystemExit):
        opener.opening.settle()
    assert (opener.opening.name, opener.opening.told) == ("", "")
    opener.opening.settle()
    assert opener.opening.told.startswith("one: byte-level BPE · 258 tokens.")
    assert kept == ["one", "one"]
