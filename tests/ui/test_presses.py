"""A press on a button counts, whether or not the run that it begins is ended by a newer one."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [*(ROOT / "playground" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
#: What Streamlit forgets with the run in which it came; a callback is called before the run can be ended.
TRIGGERS = {"button", "menu_button", "form_submit_button"}


def test_every_button_has_a_callback():
    calls = [
        (f"{path.relative_to(ROOT)}:{call.lineno}", {keyword.arg for keyword in call.keywords})
        for path in SCRIPTS
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in TRIGGERS
    ]
    assert len(calls) > 10
    assert [place for place, arguments in calls if "on_click" not in arguments] == []
