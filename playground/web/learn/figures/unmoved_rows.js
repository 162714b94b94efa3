// Rows that never move: the rows of an embedding as cells, the distances they moved by their number of occurrences,
// and nearest rows.

import { makeBox, makeBoxWithIds, trimToFit } from "../boxes.js";
import { element, svgElement } from "../../shared/element.js";
import { count, times } from "../../shared/wording.js";

/** @typedef {{text: string, n_read: number, near: string[]}} Row */
/** @typedef {{levels: string, n_read: number, n_seen: number, bands: {label: string, moved: number}[], rows: Row[],
 *   magikarp: {text: string, ids: number[]}}} Data */

const N_COLUMNS = 64;

/** SVG paths of the cells, one for each level. @param {string} levels @returns {Map<string, string>} */
function pathsOf(levels) {
  /** @type {Map<string, string>} */
  const paths = new Map();
  [...levels].forEach((level, n) => {
    const cell = `M${n % N_COLUMNS} ${Math.floor(n / N_COLUMNS)}h.86v.86h-.86z`;
    paths.set(level, (paths.get(level) ?? "") + cell);
  });
  return paths;
}

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const map = element("div", "map"), side = element("div", "side");
  root.append(map, side);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      map.replaceChildren(grid(data));
      side.replaceChildren(...(step === 1 ? totals(data) : step === 2 ? bands(data) : data.rows.map(nearest)));
      for (const chips of side.querySelectorAll(".boxes")) trimToFit(/** @type {HTMLElement} */ (chips), chips.children.length, "token");
    },
  };
}

/** @param {Data} data */
function grid({ levels, n_seen }) {
  const svg = svgElement("svg", {
    viewBox: `0 0 ${N_COLUMNS} ${Math.ceil(levels.length / N_COLUMNS)}`,
    role: "img",
    "aria-label": `${count(levels.length)} rows, ${count(n_seen)} of which moved`,
  });
  for (const [level, path] of pathsOf(levels)) svg.append(svgElement("path", { class: `level${level}`, d: path }));
  return svg;
}

/** @param {Data} data */
function totals({ levels, n_read, n_seen, magikarp }) {
  const token = element("div", "magikarp"), box = makeBoxWithIds(magikarp.text, magikarp.ids, 3);
  token.append(element("span", "soft", "One token of GPT-2:"), box);
  return [line(n_read, "tokens in the text"), line(n_seen, "distinct tokens"), line(levels.length, "rows"), token];
}

/** @param {number} n @param {string} of */
function line(n, of) {
  const made = element("p", "line");
  made.append(element("b", "number", count(n)), element("span", "", of));
  return made;
}

/** @param {Data} data */
function bands({ bands: all }) {
  const most = Math.max(...all.map(({ moved }) => moved));
  return all.map(({ label, moved }) => {
    const made = element("div", "band"), track = element("span", "track"), filled = element("i");
    filled.style.width = `${(100 * moved) / most}%`;
    track.append(filled);
    made.append(element("span", "soft", label), track, element("b", "", moved ? `moved ${moved.toFixed(2)}` : "moved 0"));
    return made;
  });
}

/** @param {Row} row */
function nearest({ text, n_read, near }) {
  const made = element("div", "near"), head = element("p", "head"), chips = element("div", "boxes");
  const box = makeBox(text, n_read ? 1 : 3);
  box.dataset.spot = text;
  head.append(box, element("span", "soft", n_read ? `read ${times(n_read)}` : "never read"));
  chips.append(...near.map((other) => {
    const chip = makeBox(other, 0);
    chip.classList.add("chip");
    return chip;
  }));
  made.append(head, chips);
  return made;
}
