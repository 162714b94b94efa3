"""Write the types of Python's answers for the browser code, `wire_types.d.ts`, and `glossary_terms.js`.

Run `python -m scripts.write_wire_types` after a change to a `TypedDict`, a dataclass, a shape, an event or
the glossary. The files are in `playground/web/shared/`.
"""

import inspect
import json
import types
from collections.abc import Collection, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from playground.analysis.categories import Category
from playground.analysis.comparison import ComparisonRow
from playground.analysis.token_details import TokenDetails
from playground.core.glossary import GLOSSARY
from playground.server.actions import Action, Actions
from playground.server.build_files import FreshCases
from playground.server.compare_session import COMPARE_ACTIONS, CompareChange, CsvAnswer, RowChange
from playground.server.editor.actions import EDITOR_ACTIONS
from playground.server.editor.answers import (
    EarlierVersion,
    EditorChange,
    EditorState,
    ExpensiveWords,
    Inspection,
    PatternCuts,
    RefusedChat,
    Snippet,
    TokenFacts,
)
from playground.server.editor.session import EditorSession
from playground.server.expect.models import FetchState
from playground.server.expect.session import EXPECT_ACTIONS, ExpectAnswer, Opened
from playground.server.formats.session import FORMATS_ACTIONS, FormatsEdited, OpenedFile
from playground.server.learn_session import (
    LEARN_ACTIONS,
    CheckedAnswer,
    LessonCode,
    LessonNotebook,
    PollState,
    ShownLesson,
    UnusableInput,
)
from playground.server.merge_tree.session import MERGE_TREE_ACTIONS, MergeTreesAnswer, MergeTreeSession
from playground.server.picker_list import PickerList
from playground.server.picker_session import PICKER_ACTIONS, OpenState, PackedTokenizer
from playground.server.saved_page.page import SavedFile
from playground.server.shapes import Optional
from playground.server.train.actions import TRAIN_ACTIONS
from playground.server.train.session import TrainCuts, TrainTrees, TrainView
from playground.server.vocabulary_session import VOCABULARY_ACTIONS, TokenRow, TokenRows
from playground.server.web_files import WEB
from playground.server.xray.session import XRAY_ACTIONS, PieceText, RefusedLog, XrayAnswer
from playground.ui.build.workbench import BuildData
from playground.ui.compare.view import CompareData, CompareEvent
from playground.ui.expect.view import ExpectData, ExpectEvent
from playground.ui.formats.data import FormatsData, FormatsEvent
from playground.ui.learn.lessons import LearnData, LearnEvent
from playground.ui.live_text import LiveText
from playground.ui.merge_tree.trees import MergeTreeData, MergeTreeEvent, PlainTreesData
from playground.ui.page import BarData, BarEvent
from playground.ui.picker import PickerData, PickerEvent
from playground.ui.save_chart import ChartData
from playground.ui.save_file import FileData, SaveEvent
from playground.ui.tokenize.editor import EditorData, EditorEvent
from playground.ui.train.view import TrainData, TrainEvent
from playground.ui.vocabulary.token_list import TokenListData, TokenListEvent
from playground.ui.xray.view import XrayData, XrayEvent

FILE = WEB / "shared" / "wire_types.d.ts"
GLOSSARY_FILE = WEB / "shared" / "glossary_terms.js"
#: Actions of each session.
REQUESTS: dict[str, Actions] = {
    "EditorRequests": EDITOR_ACTIONS,
    "CompareRequests": COMPARE_ACTIONS,
    "ExpectRequests": EXPECT_ACTIONS,
    "MergeTreeRequests": MERGE_TREE_ACTIONS,
    "FormatsRequests": FORMATS_ACTIONS,
    "LearnRequests": LEARN_ACTIONS,
    "PickerRequests": PICKER_ACTIONS,
    "TrainRequests": TRAIN_ACTIONS,
    "XrayRequests": XRAY_ACTIONS,
    "VocabularyRequests": VOCABULARY_ACTIONS,
}
#: Types sent to the browser code: answers, and data of components. Types that they contain are found.
GIVEN: tuple[type, ...] = (
    EditorState, EditorChange, EarlierVersion, Inspection, Snippet, TokenDetails, TokenFacts, PatternCuts,
    ExpensiveWords, RefusedChat,
    CompareChange, RowChange, ComparisonRow, CsvAnswer, MergeTreesAnswer, EditorData, CompareData,
    MergeTreeData, PlainTreesData, TrainData, TrainView, SavedFile,
    TrainCuts, TrainTrees, ChartData, FileData, BarData,
    BuildData, FreshCases,
    PickerData, PickerList, OpenState, PackedTokenizer,
    ExpectData, ExpectAnswer, FetchState, Opened,
    XrayData, XrayAnswer, RefusedLog, PieceText,
    FormatsData, FormatsEdited, OpenedFile,
    LearnData, ShownLesson, UnusableInput, CheckedAnswer, LessonCode, LessonNotebook, PollState,
    TokenListData, TokenRow, TokenRows, LiveText,
)  # fmt: skip
#: Events that the browser code sends to its page.
EVENTS: dict[str, Any] = {
    "EditorEvent": EditorEvent,
    "CompareEvent": CompareEvent,
    "ExpectEvent": ExpectEvent,
    "FormatsEvent": FormatsEvent,
    "TrainEvent": TrainEvent,
    "XrayEvent": XrayEvent,
    "MergeTreeEvent": MergeTreeEvent,
    "LearnEvent": LearnEvent,
    "BarEvent": BarEvent,
    "PickerEvent": PickerEvent,
    "SaveEvent": SaveEvent,
    "TokenListEvent": TokenListEvent,
}

_HEAD = "// What Python declares. Written by `python -m scripts.write_wire_types`; change it there.\n"
_PLAIN: dict[Any, str] = {
    str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any",
    object: "unknown",
}  # fmt: skip


def wire_types() -> str:
    """Return the content of `wire_types.d.ts`."""
    names = {"CategoryNames": str([category.name.lower() for category in Category])}
    names |= {name: _type(event, names) for name, event in EVENTS.items()}
    for kind in GIVEN:
        _add_type(kind, names)
    for name, actions in REQUESTS.items():
        names[name] = _object({action: _request(how, names) for action, how in actions.items()})
    return "\n".join([_HEAD, *(f"export type {name} = {names[name]};\n" for name in sorted(names))])


def _add_type(kind: type, names: dict[str, str]) -> None:
    if kind.__name__ in names:
        return
    names[kind.__name__] = ""  # a type can contain itself
    hints = get_type_hints(kind, include_extras=True)
    for name, own in inspect.getmembers(kind, lambda member: isinstance(member, property)):
        hints[name] = get_type_hints(own.fget)["return"]  # properties are sent along with the fields
    fields = {name: _type(hint, names) for name, hint in hints.items()}
    names[kind.__name__] = _object(fields, getattr(kind, "__optional_keys__", ()))


def _request(action: Action, names: dict[str, str]) -> str:
    """Return the fields of a shape, typed like the parameters of the function that answers."""
    takers = (EditorSession.change, MergeTreeSession.draw, action.answer)
    hints = {name: hint for taker in takers for name, hint in get_type_hints(taker).items()}
    fields = action.shape.fields
    missing = {name for name, check in fields.items() if isinstance(check, Optional)}
    return _object({name: _type(hints[name], names) for name in fields}, missing)


def _object(fields: Mapping[str, str], missing: Collection[str] = ()) -> str:
    """Return an object type; the keys in `missing` are optional."""
    if not fields:
        return "{}"
    lines = [f"  {name}{'?' if name in missing else ''}: {kind};" for name, kind in fields.items()]
    return "\n".join(["{", *(line.replace("\n", "\n  ") for line in lines), "}"])


def _type(hint: Any, names: dict[str, str]) -> str:
    """Return the TypeScript type for a Python type as `json.dumps` writes it."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is NotRequired:
        return _type(parts[0], names)
    if origin is Literal:
        return " | ".join(f'"{choice}"' for choice in parts)
    if origin in (Union, types.UnionType):
        return " | ".join(_type(part, names) for part in parts)
    if origin is tuple and parts[-1] is not ...:
        return f"[{', '.join(_type(part, names) for part in parts)}]"
    if origin in (list, tuple, Sequence):
        item = _type(parts[0], names)
        return f"({item})[]" if " | " in item and not item.startswith("[") else f"{item}[]"
    if origin in (dict, Mapping):
        return f"Record<string, {_type(parts[1], names)}>"
    if is_typeddict(hint) or is_dataclass(hint):
        _add_type(hint, names)
        return str(hint.__name__)
    raise TypeError(f"no type of the browser's stands for {hint!r}")


def glossary_module() -> str:
    """Return the module that has the glossary's definitions."""
    terms = json.dumps(GLOSSARY, ensure_ascii=False, indent=2)
    head = "// Definitions. Written by `python -m scripts.write_wire_types` from `core/glossary.py`.\n"
    return f"{head}\nexport const GLOSSARY = {terms};\n"


def write(path: Path = FILE) -> None:
    """Write both files."""
    path.write_text(wire_types(), encoding="utf-8")
    GLOSSARY_FILE.write_text(glossary_module(), encoding="utf-8")


if __name__ == "__main__":
    write()
