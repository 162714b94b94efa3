// Languages: one sentence in two languages with its tokens; then a line for each language across three tokenizers.

import { fillWithPieces, makePieceBox } from "../boxes.js";
import { element, svgElement } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{in_each: number[], n_tokens: number, pieces: {text: string, ids: number[]}[]}} Side */
/** @typedef {{tokenizers: string[], english: Side, other: Side, languages: {name: string, times: number[]}[]}} Data */

/** The chart's size in pixels, for a window of 1280 × 800 and for a phone. */
const WIDE = { width: 1180, left: 260, right: 920 }, NARROW = { width: 700, left: 220, right: 480 };
const HEIGHT = 400, TOP = 16, BOTTOM = 340;
/** Label of the line for the sentences that were typed. */
const YOURS = "yours";
/** Distance between labels at either end of the lines. */
const APART = 36;

/** The vertical position of a ratio to English, on a logarithmic scale. @param {number} times @param {number} most */
export const heightOf = (times, most) => BOTTOM - ((BOTTOM - TOP) * Math.log(Math.max(times, 0.7) / 0.7)) / Math.log(most / 0.7);

/** The languages that get a label: English, Korean, and the most expensive one at each end. @param {Data["languages"]} languages */
export function namedOf(languages) {
  /** @param {number} at */
  const costliest = (at) => languages.reduce((most, one) => (one.times[at] > most.times[at] ? one : most)).name;
  return new Set(["English", "Korean", costliest(0), costliest(2)]);
}

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const pair = element("div", "pair"), chart = element("div", "chart"), rows = [makeRow("English"), makeRow("Other")];
  pair.append(...rows.map(({ row }) => row));
  root.append(pair, chart);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      pair.hidden = step > 1;
      chart.hidden = step < 2;
      if (step > 1) return chart.replaceChildren(drawChart(data, chart.clientWidth < 700 ? NARROW : WIDE));
      for (const [k, side] of [data.english, data.other].entries()) drawSide(rows[k], side);
    },
  };
}

/** @param {string} name */
function makeRow(name) {
  const row = element("div", "side"), strip = element("div", "boxes"), number = element("b", "number"), total = element("p", "total");
  total.append(number, element("span", "soft", `${name}, tokens`));
  row.append(strip, total);
  return { row, strip, number };
}

/** @param {ReturnType<typeof makeRow>} row @param {Side} side */
function drawSide({ strip, number }, side) {
  number.textContent = count(side.n_tokens);
  fillWithPieces(strip, side, makePieceBox);
}

/** @param {Data} data @param {typeof WIDE} size */
function drawChart({ tokenizers, languages: all, english, other }, { width, left, right }) {
  const isBoth = english.n_tokens > 0 && other.n_tokens > 0;
  const own = other.in_each.map((n, at) => Math.round((100 * n) / english.in_each[at]) / 100);
  const languages = isBoth ? [...all, { name: YOURS, times: own }] : all;
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: "img",
    "aria-label": `Number of tokens relative to English in ${tokenizers.join(", ")}, for ${all.length} languages`,
  });
  const most = Math.max(...languages.flatMap(({ times }) => times)), named = namedOf(all).add(YOURS);
  /** @param {number} at */
  const x = (at) => left + ((right - left) * at) / (tokenizers.length - 1);
  for (const { name, times } of languages) {
    const className = name === YOURS ? "line yours" : named.has(name) ? "line named" : "line";
    svg.append(svgElement("path", { class: className, d: `M${times.map((one, at) => `${x(at)} ${heightOf(one, most)}`).join("L")}` }));
  }
  for (const [at, name] of tokenizers.entries()) {
    svg.append(svgElement("path", { class: "axis", d: `M${x(at)} ${TOP}V${BOTTOM}` }), label(name, x(at), HEIGHT - 20, "middle", "tokenizer"));
  }
  const shown = languages.filter(({ name }) => named.has(name));
  for (const [at, beside, anchor] of /** @type {[number, number, string][]} */ ([[0, -16, "end"], [2, 16, "start"]])) {
    for (const [{ name, times }, y] of placed(shown, at, most)) svg.append(label(`${times[at]} × ${name}`, x(at) + beside, y, anchor, "times"));
  }
  return svg;
}

/**
 * Languages with the vertical positions of their labels, which don't overlap.
 * @param {Data["languages"]} languages @param {number} at @param {number} most
 * @returns {[Data["languages"][number], number][]}
 */
function placed(languages, at, most) {
  let below = BOTTOM + APART;
  return languages.toSorted((a, b) => a.times[at] - b.times[at]).map((one) => {
    below = Math.min(heightOf(one.times[at], most) + 9, below - APART);
    return [one, below];
  });
}

/** @param {string} text @param {number} x @param {number} y @param {string} anchor @param {string} className */
function label(text, x, y, anchor, className) {
  const made = svgElement("text", { class: className, x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}
