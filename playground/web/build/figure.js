// The figure of a step: tokens in colour and bars, drawn from what the student's functions return.

import { element } from "../shared/element.js";
import { colorBetween, layTokens, makeToken } from "../shared/token_strip.js";
import { count } from "../shared/wording.js";

/** @typedef {import("./python.js").Result["figure"]} Figure */

/** Draw a figure. @param {HTMLElement} root @param {Figure} figure */
export function drawFigure(root, figure) {
  root.replaceChildren(...figure.map((part) => (part.kind === "tokens" ? makeRow(part) : makeBars(part))));
}

/** Tokens side by side, neighbours in different colours. @param {{text: string, lit: boolean}[]} tokens */
function makeStrip(tokens) {
  const strip = element("p", "strip");
  let color = -1;
  strip.append(layTokens(tokens.map(({ text, lit }) => {
    color = colorBetween(color);
    return makeToken(text, { color, nTokens: 1, marks: true, kinds: lit ? ["lit"] : [] });
  })));
  return strip;
}

/** @param {import("./python.js").TokenRow} row */
function makeRow({ label, tokens }) {
  const made = element("div", /^\d+$/.test(label) ? "row short" : "row");
  made.append(element("h4", "", label), makeStrip(tokens));
  return made;
}

/** @param {import("./python.js").Bars} counts */
function makeBars({ label, bars }) {
  const made = element("div", "bars"), most = Math.max(1, ...bars.map(({ n }) => n));
  made.append(element("h4", "", label));
  for (const { tokens, n } of bars) {
    const line = element("div", "bar"), fill = element("span", "fill");
    fill.style.setProperty("--share", String(n / most));
    line.append(makeStrip(tokens.map((text) => ({ text, lit: false }))), fill, element("span", "n", count(n)));
    made.append(line);
  }
  return made;
}
