"""Which rules of accessibility a page breaks, by axe."""

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

from tests.e2e.conftest import wait_until_rest

_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
#: Each word of code is an element; what the first lines do not break, the others do not.
_BROKEN = """async (rules) => {
  const options = { resultTypes: ['violations'] };
  if (rules) options.runOnly = { type: 'rule', values: rules };
  const where = { include: [document], exclude: ['.stCode code > span:nth-of-type(n+40)'] };
  const { violations } = await axe.run(where, options);
  return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}"""


def broken_rules(page: Page, *rules: str) -> list[tuple[str, list[str]]]:
    """Names of the rules that a page at rest breaks, and where; of all rules, or of those named."""
    wait_until_rest(page)
    for _ in range(3):  # a run that begins while axe looks draws the page pale: what is broken stays so
        broken = rules_broken_now(page, *rules)
        if not broken:
            break
        wait_until_rest(page)
    return broken


def rules_broken_now(page: Page, *rules: str) -> list[tuple[str, list[str]]]:
    """The same of a page that is not Streamlit's, and so at rest."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE)
    return [tuple(broken) for broken in page.evaluate(_BROKEN, list(rules) or None)]
