// Choose: formats, or tokenizers, as bars by their number of tokens; a hatched bar loses something and names it.

import { element } from "../../shared/element.js";
import { count, unitOf } from "../../shared/wording.js";

/** @typedef {{name: string, n_tokens: number, loses: string[]}} Row */
/** @typedef {{formats: Row[], tokenizers: Row[], advice: string}} Data */

/** Formats shown in the first step. */
const FIRST = new Set(["JSON", "YAML", "compact JSON"]);

/** The lossless rows with the fewest tokens; several can tie. @param {Row[]} rows */
export function cheapestOf(rows) {
  const whole = rows.filter(({ loses }) => !loses.length), least = Math.min(...whole.map((row) => row.n_tokens));
  return whole.filter((row) => row.n_tokens === least);
}

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const bars = element("div", "bars"), sum = element("div", "sum-up");
  root.append(bars, sum);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const isOfTokenizers = step === 2 || !data.formats.length;
      const rows = isOfTokenizers ? data.tokenizers : step === 1 ? data.formats.filter(({ name }) => FIRST.has(name)) : data.formats;
      const most = Math.max(1, ...rows.map((row) => row.n_tokens));
      const best = isOfTokenizers ? cheapestOf(rows) : []; // the question asks for the best format
      const headline = best[0] ?? (step === 1 ? rows.at(-1) : undefined);
      bars.replaceChildren(...rows.toSorted((a, b) => b.n_tokens - a.n_tokens).map((row) => bar(row, most, best.includes(row), step > 1)));
      root.classList.toggle("alone", !headline);
      sum.replaceChildren();
      if (!headline) return;
      sum.append(element("b", "number", count(headline.n_tokens)), element("span", "unit", unitOf(headline.n_tokens, "token")));
      sum.append(element("span", "name-of", [headline, ...best.slice(1)].map(({ name }) => name).join(", ")));
      if (isOfTokenizers) sum.append(element("span", "advice", data.advice));
    },
  };
}

/** @param {Row} row @param {number} most @param {boolean} isBest @param {boolean} hasLosses */
function bar(row, most, isBest, hasLosses) {
  const line = element("div", `line${isBest ? " best" : ""}${hasLosses && row.loses.length ? " loses" : ""}`);
  const track = element("span", "track"), filled = element("i");
  filled.style.width = `${(row.n_tokens / most) * 100}%`;
  track.append(filled);
  line.append(element("span", "label", row.name), track, element("b", "n", count(row.n_tokens)));
  line.append(element("span", "lost", hasLosses && row.loses.length ? `✗ ${row.loses[0]}` : ""));
  return line;
}
