"""Which rules of accessibility a page breaks, by axe."""

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Locator, Page

from tests.e2e.conftest import wait_until_rest

_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
#: axe tells no contrast of what it takes for hidden, or of what does not stand on one plain colour: so while
#: it looks, all of a page is in the window and tokens have no marks at their edges. A pseudo-element draws
#: paper behind the bar: what stands on it is compared with the page's paper, which is the same.
#: Each word of code is an element; what the first lines do not break, the others do not.
_BROKEN = """async ([rules, part]) => {
  const options = { resultTypes: ['violations'], preload: { assets: ['media'] } };  // no rule reads sheets
  if (rules) options.runOnly = { type: 'rule', values: rules };
  const where = { include: [part ?? document], exclude: ['.stCode code > span:nth-of-type(n+40)'] };
  axe._audit.checks['color-contrast'].options.ignorePseudo = true;
  const seen = new CSSStyleSheet();
  seen.replaceSync(`body, .stApp, .stAppViewContainer, .stMain { height: 400vh !important; }
    .cell, .t { background-image: none !important; }`);
  const roots = [document, ...(window.shadowRoots?.() ?? [])];
  const main = document.querySelector('.stMain'), scrolled = main?.scrollTop;
  for (const root of roots) root.adoptedStyleSheets.push(seen);
  try {
    const { violations } = await axe.run(where, options);
    return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
  } finally {
    for (const root of roots) {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== seen);
    }
    main?.scrollTo(0, scrolled);
  }
}"""


def broken_rules(page: Page, *rules: str, within: Locator | None = None) -> list[tuple[str, list[str]]]:
    """Names of the rules that a page at rest breaks, and where; of all rules, or of those named.

    Of the whole page, or of what stands within a part of it.
    """
    wait_until_rest(page)
    for _ in range(3):  # a run that begins while axe looks draws the page pale: what is broken stays so
        broken = rules_broken_now(page, *rules, within=within)
        if not broken:
            break
        wait_until_rest(page)
    return broken


def rules_broken_now(page: Page, *rules: str, within: Locator | None = None) -> list[tuple[str, list[str]]]:
    """The same of a page that is not Streamlit's, and so at rest."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE)
    part = within and within.element_handle()
    return [tuple(broken) for broken in page.evaluate(_BROKEN, [list(rules) or None, part])]
