// The mixture: the tokens of two held-out texts as bars, as curves over all mixtures, and as coloured text.

import { trimToFit } from "../boxes.js";
import { element, svgElement } from "../../shared/element.js";
import { makeSegments } from "../../shared/segments.js";
import { makeToken } from "../../shared/token_strip.js";
import { count } from "../../shared/wording.js";

/** @typedef {{n_other: number, languages: [string, string], n_tokens: [number[], number[]], texts: {text: string, lengths: number[]}[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root, { change, signal }) {
  const bars = element("div", "bars"), below = element("div", "below");
  root.append(bars, below);
  let last = 10;
  below.addEventListener("click", (event) => {
    const plot = /** @type {Element} */ (event.target).closest(".plot");
    if (!plot) return;
    const { left, width } = plot.getBoundingClientRect();
    change({ n_other: Math.round(Math.min(Math.max((event.clientX - left) / width, 0), 1) * last) });
  }, { signal });
  return {
    show(step, /** @type {Data} */ data) {
      last = data.n_tokens[0].length - 1;
      const most = Math.max(...data.n_tokens.flat());
      bars.replaceChildren(...data.languages.flatMap((language, n) => bar(language, data.n_tokens[n][data.n_other], n ? data.n_tokens[n][0] : 0, most, n)));
      below.classList.toggle("unseen-yet", step < 2);
      below.replaceChildren(...(step < 3 ? [lines(data, most)] : data.texts.map(cut)));
      for (const strip of below.querySelectorAll(".strip")) trimToFit(/** @type {HTMLElement} */ (strip), strip.childElementCount, "piece");
    },
  };
}

/** @param {string} language @param {number} n @param {number} before as long as none of it is learned; 0 is not shown @param {number} most @param {number} kind */
function bar(language, n, before, most, kind) {
  const track = element("span", "track"), filled = element("i", `filled of-${kind}`);
  filled.style.width = `${(100 * n) / most}%`;
  track.append(filled);
  const summary = element("span", "summary");
  if (before > n) summary.append(element("span", "before", `${count(before)} →`));
  summary.append(element("b", "number", count(n)));
  return [element("span", "name-of", language), track, summary];
}

/** A curve for each language over all mixtures. @param {Data} data @param {number} most */
function lines({ n_other, languages, n_tokens }, most) {
  const box = element("div", "chart"), plot = element("div", "plot"), last = n_tokens[0].length - 1;
  const svg = svgElement("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const [kind, values] of n_tokens.entries()) {
    const d = values.map((n, k) => `${k ? "L" : "M"}${(1000 * k) / last} ${1000 - (950 * n) / most}`).join("");
    svg.append(svgElement("path", { class: `of-${kind}`, d }));
  }
  const line = element("i", "line");
  line.style.left = `${(100 * n_other) / last}%`;
  plot.append(svg, line, ...languages.map((language, kind) => element("span", `of-${kind}`, language)));
  box.append(plot, element("span", "soft", `${last} ${languages[0]} : 0`), element("span", "soft last", `0 : ${last} ${languages[1]}`));
  return box;
}

/** @param {{text: string, lengths: number[]}} text */
function cut({ text, lengths }) {
  const strip = element("div", "strip");
  strip.append(...makeSegments(text, lengths).map(({ text: shown, first, last }, n) => makeToken(shown, { color: n % 4, nTokens: last - first, marks: true })));
  return strip;
}
