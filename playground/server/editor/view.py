"""How the tokens of an editor are shown: what a share link carries of it, each name declared once.

The look itself is the browser's business (`web/editor/view_controls.js` and `window_cost.js`).
"""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, cast, get_args


class PaneView(TypedDict, total=False):
    """What is written on tokens, what colours them, and whether white space is marked."""

    marks: bool
    label: Literal["text", "ids", "bytes"]
    colorBy: Literal["position", "id", "rank", "bytes", "category", "pattern"]


class WindowSettings(TypedDict, total=False):
    """The context window in tokens, and the prices of a million tokens in dollars."""

    window: float
    priceInput: float
    priceOutput: float


class EditorView(TypedDict):
    """Both, and whether the list of costly words is open; what is missing stays as the reader has it."""

    pane: PaneView
    settings: WindowSettings
    dear: NotRequired[bool]


_CHOICES: Mapping[str, tuple[object, ...]] = {
    name: (False, True) if kind is bool else get_args(kind) for name, kind in PaneView.__annotations__.items()
}
_LEAST = {name: 1 if name == "window" else 0 for name in WindowSettings.__annotations__}
_MOST = 1e12


def checked_view(view: object) -> EditorView | None:
    """The view without anything unknown: a browser may remember more than it shares.

    >>> checked_view({"pane": {"marks": True, "label": "<b>"}, "settings": {"window": 4096, "x": 1}})
    {'pane': {'marks': True}, 'settings': {'window': 4096}}
    """
    if not isinstance(view, dict):
        return None
    pane, settings = _own(view.get("pane")), _own(view.get("settings"))
    checked: dict[str, Any] = {
        "pane": {name: pane[name] for name, valid in _CHOICES.items() if pane.get(name) in valid},
        "settings": {
            name: settings[name]
            for name, least in _LEAST.items()
            if type(settings.get(name)) in (int, float) and least <= settings[name] <= _MOST
        },
    }
    if isinstance(view.get("dear"), bool):
        checked["dear"] = view["dear"]
    return cast(EditorView, checked)


def _own(part: object) -> dict[str, Any]:
    return part if isinstance(part, dict) else {}
