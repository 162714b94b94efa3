"""Which rules of accessibility a page breaks, by axe; and where the text of a drawing is hard to read."""

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Locator, Page

from tests.e2e.conftest import wait_until_rest

_AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
#: axe tells nothing of SVG's text: it is compared with the shapes that cover its middle and are painted
#: before it, over the paper of what it stands in. A halo, which is painted first, is its paper.
_FAINT = """(part) => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = color;
      pen.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
      known.set(color, [red, green, blue, alpha / 255]);
    }
    return known.get(color);
  };
  const above = (element) => element.parentElement ?? element.getRootNode().host ?? null;
  const over = ([r, g, b, alpha], under) => [r, g, b].map((c, at) => c * alpha + under[at] * (1 - alpha));
  const light = (color) => {
    const [r, g, b] = color.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const painted = (element, kind) => {
    const style = getComputedStyle(element);
    if (style[kind] === 'none' || style[kind].startsWith('url')) return [0, 0, 0, 0];
    let [r, g, b, alpha] = rgba(style[kind]);
    alpha *= style[`${kind}Opacity`];
    for (let at = element; at; at = above(at)) alpha *= getComputedStyle(at).opacity;
    return [r, g, b, alpha];
  };
  const paper = (element) => {
    const papers = [];
    for (let at = element; at; at = above(at)) {
      papers.push(rgba(getComputedStyle(at).backgroundColor));
      if (papers.at(-1)[3] === 1) break;
    }
    return papers.reduceRight((under, color) => over(color, under), [255, 255, 255]);
  };
  const isWithin = (element) => {
    for (let at = element; part && at !== part; at = above(at)) if (!at) return false;
    return true;
  };
  const found = [];
  const roots = [document, ...(window.shadowRoots?.() ?? [])];
  for (const svg of roots.flatMap((root) => [...root.querySelectorAll('svg')])) {
    const texts = [...svg.querySelectorAll('text, tspan')].filter((text) =>
      [...text.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
      && text.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && isWithin(text));
    if (!texts.length) continue;
    const under = paper(svg);
    const shapes = [...svg.querySelectorAll('rect, path, circle, ellipse, polygon')]
      .map((shape) => [shape, painted(shape, 'fill'), shape.getBoundingClientRect()])
      .filter(([shape, fill, box]) => fill[3] && box.width
        && shape.checkVisibility({ visibilityProperty: true })
        && !shape.closest('defs, clipPath, mask, pattern, marker'));
    for (const text of texts) {
      const style = getComputedStyle(text), place = text.getScreenCTM();
      const { x, y, width, height } = text.getBBox();
      const fill = painted(text, 'fill');
      if (!width || !fill[3]) continue;
      const middle = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(place);
      let behind = under;
      for (const [shape, color, box] of shapes) {
        if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
        if (middle.x < box.left || middle.x > box.right) continue;
        if (middle.y < box.top || middle.y > box.bottom) continue;
        if (!shape.isPointInFill(middle.matrixTransform(shape.getScreenCTM().inverse()))) continue;
        behind = over(color, behind);
      }
      if (style.paintOrder.startsWith('stroke') && parseFloat(style.strokeWidth) >= 2) {
        behind = over(painted(text, 'stroke'), behind);
      }
      const [dark, bright] = [light(behind), light(over(fill, behind))].sort((a, b) => a - b);
      const pixels = parseFloat(style.fontSize) * Math.sqrt(Math.abs(place.a * place.d - place.b * place.c));
      const needed = pixels >= 24 || (pixels >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
      const ratio = (bright + 0.05) / (dark + 0.05);
      if (ratio < needed) found.push(`${ratio.toFixed(2)}:1 ${text.outerHTML.slice(0, 200)}`);
    }
  }
  return found;
}"""
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
    const broken = violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
    const faint = !rules || rules.includes('color-contrast') ? (FAINT)(part) : [];
    return faint.length ? [...broken, ['contrast of a drawing', faint]] : broken;
  } finally {
    for (const root of roots) {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== seen);
    }
    main?.scrollTo(0, scrolled);
  }
}""".replace("FAINT", _FAINT)


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
