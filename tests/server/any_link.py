"""Share links that say anything, damaged ones among them, and what must hold of a page that opens one."""

import base64
import json
import zlib

from hypothesis import strategies as st

from playground.analysis.live_comparison import LiveComparison
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.formats.offloading import open_document
from playground.server.compare_session import COMPARE_LINK, CompareSession
from playground.server.editor.link import EDITOR_LINK, restore_editor
from playground.server.editor.session import EditorSession
from playground.server.forest.session import FOREST_LINK, ForestSession
from playground.server.formats.session import FORMATS_LINK, unpacked_file
from playground.server.share_link import PARAMETER
from playground.server.train_link import TRAIN_LINK
from tests.analysis.texts import texts
from tests.mutations import mutate
from tests.server.test_any_request import check_document

LINKS = {
    "tokenize": EDITOR_LINK,
    "compare": COMPARE_LINK,
    "merge tree": FOREST_LINK,
    "formats": FORMATS_LINK,
    "train": TRAIN_LINK,
}
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
LONE = st.sampled_from(["\ud83d", "a: \udc00"])
#: What some names are for, so that many links are opened.
LIKELY: dict[str, st.SearchStrategy[object]] = {
    "tokenizer": st.sampled_from(["gpt2", "utf8_bytes", "mine", "\ud83d"]),
    "tokenizers": st.lists(st.sampled_from(["gpt2", "utf8_bytes", "mine", "\ud83d"]), max_size=7),
    "own_special": st.lists(st.sampled_from(["<a>", " ", "", "<a>"]) | texts(2) | LONE, max_size=3),
    "text": texts() | LONE,
    "extras": st.lists(
        st.fixed_dictionaries(
            {"label": texts(2) | LONE, "text": texts(3) | LONE}, optional={"is_tool": st.booleans()}
        ),
        max_size=2,
    ),
    "earlier": st.none() | texts() | LONE,
    "honours_special": st.booleans(),
    "mode": st.sampled_from(["text", "chat", "ids"]),
    "step": st.integers(0, 2**32),
    "height_by": st.sampled_from(["depth", "order"]),
    "messages": st.lists(
        st.fixed_dictionaries(
            {"role": texts(2), "content": texts(3)},
            optional={"fields": texts(2) | st.just('{"a": 1}'), "left_out": st.lists(texts(2) | LONE)},
        ),
        max_size=3,
    ),
    "template_name": st.sampled_from(["gpt-4", "gpt-4o", "gpt-3.5-turbo", "Qwen3", "no such"]),
    "add_generation_prompt": st.booleans(),
    "variables": st.sampled_from(["", "{}", "[", '{"enable_thinking": false}']),
    "view": st.just({"pane": {"marks": True, "label": 1}, "settings": {"window": 10**12}}),
    "upload": st.fixed_dictionaries(
        {"name": texts(2) | LONE},
        optional={"text": texts() | LONE, "base64": texts(2) | st.just("eyJhIjogMX0=")},
    ),
    "chosen": st.dictionaries(st.sampled_from(["formats.price", "train.held_out", "x"]), json_values),
    "left_out": st.lists(st.sampled_from(["text", "upload", "train.own", "x"]), max_size=3),
    "ids_text": st.sampled_from(["[1, 2]", "-1", "9" * 5_000]),
}


def squeeze(data: bytes, *, version: str = "2.") -> str:
    """State as a link has it, of any size and kind."""
    return version + base64.urlsafe_b64encode(zlib.compress(data, 9)).rstrip(b"=").decode()


@st.composite
def links(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A page and the parameters of an address: of today or of before, likely, hostile or damaged."""
    page = draw(st.sampled_from(list(LINKS)))
    kind = LINKS[page]
    if kind.old_parameters and draw(st.integers(0, 4)) == 0:
        values = st.text(max_size=8) | st.sampled_from(["gpt2", "order", "eJxLBAAAYgBi", "9" * 5_000])
        return page, draw(st.dictionaries(st.sampled_from(kind.old_parameters), values, min_size=1))
    fields = list(kind.shape.fields)
    state = {name: draw(LIKELY.get(name, json_values)) for name in fields if draw(st.booleans())}
    if page == "tokenize":
        state.setdefault("tokenizer", "gpt2")
    if draw(st.integers(0, 3)) == 0:
        state |= draw(st.dictionaries(st.sampled_from(fields), json_values, max_size=2))
    plain = json.dumps(state).encode()
    if draw(st.integers(0, 5)) == 0:
        plain = mutate(draw, plain, [b"null", b":", b"\\ud83d"])
    packed = squeeze(plain).encode()
    if draw(st.integers(0, 5)) == 0:
        packed = mutate(draw, packed, [b"2.", b"-_", b"===="])
    return page, {PARAMETER: packed.decode(errors="replace")}


def check_link(page: str, parameters: dict[str, str]) -> None:
    """A link is refused in a sentence, or opened, and the page then has the tokens of its text."""
    kind = LINKS[page]
    try:
        state = kind.read(parameters)
    except InvalidInputError as error:
        assert "this share link is damaged" in str(error)  # noqa: PT017
        return
    assert state is not None
    assert set(state) == set(kind.shape.fields)
    for name in ("text", "tokenizer", "tokenizers", "own_special"):  # a page shows them
        json.dumps(state.get(name), ensure_ascii=False).encode()
    try:
        match page:
            case "tokenize":
                editor = EditorSession(get_tokenizer("gpt2"))
                try:
                    restore_editor(editor, state)
                finally:
                    check_document(editor.document)
                editor.shown()
            case "compare":
                compare = CompareSession(LiveComparison(""))
                compare.set_text(state["text"] or "")
                compare.use([get_tokenizer(name) for name in state["tokenizers"]])
                for document in compare.comparison.documents:
                    check_document(document)
            case "merge tree":
                forest = ForestSession("")
                forest.use(get_tokenizer(state["tokenizer"] or "gpt2"))
                drawn = {"height_by": state["height_by"], "step": state["step"]}
                forest.draw(state["text"] or "", epoch="", **drawn)
            case "formats" if state["upload"]:
                open_document(unpacked_file(state["upload"])[1])
            case _:
                open_document(state.get("text") or "")
    except PlaygroundError as error:
        assert str(error)  # noqa: PT017
