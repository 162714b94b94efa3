// Languages: a sentence twice with its tokens and counts; then each language as a line from tokenizer to tokenizer.

import { fillToFit, makePieceBox } from "../boxes.js";
import { element, svgElement } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{n_tokens: number[], pieces: {text: string, ids: number[]}[]}} Side */
/** @typedef {{tokenizers: string[], english: Side, other: Side, languages: {name: string, times: number[]}[]}} Data */

/** The chart's size, in pixels of a screen of 1280 × 800. */
const WIDTH = 1180, HEIGHT = 400, LEFT = 190, RIGHT = 900, TOP = 16, BOTTOM = 340;
/** What the line of the class's own sentence is called. */
const YOURS = "yours";
/** Names that stand at both ends are this far apart. */
const APART = 36;

/** Where a multiple of English stands: by its logarithm, 1 at the bottom. @param {number} times @param {number} most */
export const heightOf = (times, most) => BOTTOM - ((BOTTOM - TOP) * Math.log(Math.max(times, 0.7) / 0.7)) / Math.log(most / 0.7);

/** The languages that are named: English, the dearest at the left and at the right, and Korean. @param {Data["languages"]} languages */
export function namedOf(languages) {
  /** @param {number} at */
  const dearest = (at) => languages.reduce((most, one) => (one.times[at] > most.times[at] ? one : most)).name;
  return new Set(["English", "Korean", dearest(0), dearest(2)]);
}

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const pair = element("div", "pair"), chart = element("div", "chart"), rows = [makeRow(), makeRow()];
  pair.append(...rows.map(({ row }) => row));
  root.append(pair, chart);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      pair.hidden = step > 1;
      chart.hidden = step < 2;
      if (step > 1) return chart.replaceChildren(drawChart(data));
      for (const [k, side] of [data.english, data.other].entries()) drawSide(rows[k], side, data.tokenizers.indexOf("cl100k_base"));
    },
  };
}

/** Whether all tokens are among the pieces. @param {Side} side */
const isWhole = (side) => side.pieces.reduce((sum, { ids }) => sum + ids.length, 0) === side.n_tokens[1];

function makeRow() {
  const row = element("div", "side"), strip = element("div", "boxes"), number = element("b", "number");
  row.append(strip, number);
  return { row, strip, number };
}

/** @param {ReturnType<typeof makeRow>} row @param {Side} side @param {number} at */
function drawSide({ strip, number }, side, at) {
  number.textContent = count(side.n_tokens[at]);
  fillToFit(strip, side.pieces, {
    make: makePieceBox,
    nAll: Math.max(side.pieces.length, isWhole(side) ? 0 : side.n_tokens[at]),
    unit: "token",
  });
}

/** @param {Data} data */
function drawChart({ tokenizers, languages: all, english, other }) {
  const isBoth = english.n_tokens[0] > 0 && other.n_tokens[0] > 0;
  const own = other.n_tokens.map((n, at) => Math.round((100 * n) / english.n_tokens[at]) / 100);
  const languages = isBoth ? [...all, { name: YOURS, times: own }] : all;
  const svg = svgElement("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `Number of tokens relative to English in ${tokenizers.join(", ")}, for ${all.length} languages`,
  });
  const most = Math.max(...languages.flatMap(({ times }) => times)), named = namedOf(all).add(YOURS);
  /** @param {number} at */
  const x = (at) => LEFT + ((RIGHT - LEFT) * at) / (tokenizers.length - 1);
  for (const { name, times } of languages) {
    const className = name === YOURS ? "line yours" : named.has(name) ? "line named" : "line";
    svg.append(svgElement("path", { class: className, d: `M${times.map((one, at) => `${x(at)} ${heightOf(one, most)}`).join("L")}` }));
  }
  for (const [at, name] of tokenizers.entries()) {
    svg.append(svgElement("path", { class: "axis", d: `M${x(at)} ${TOP}V${BOTTOM}` }), label(name, x(at), HEIGHT - 20, "middle", "tokenizer"));
  }
  const shown = languages.filter(({ name }) => named.has(name));
  for (const [{ times }, y] of placed(shown, 0, most)) svg.append(label(`${times[0]} ×`, x(0) - 16, y, "end", "times"));
  for (const [{ name, times }, y] of placed(shown, 2, most)) svg.append(label(`${times[2]} × ${name}`, x(2) + 16, y, "start", "times"));
  return svg;
}

/**
 * Languages with where their names stand at one end, none over another.
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
