// Spelling: a text's tokens as blocks with a tick for each hidden letter; then with letters, reversed, and spaced
// out.

import { fillWithPieces, makeBoxWithIds, makeLane } from "../boxes.js";
import { element, write } from "../../shared/element.js";
import { count, counted } from "../../shared/wording.js";

/** @typedef {{text: string, ids: number[], n_letters: number}} Piece */
/** @typedef {{name: string, n_tokens: number, pieces: Piece[]}} Way */
/** @typedef {{ways: Way[], shared: number[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const blocks = element("div", "blocks"), ways = [0, 1, 2].map(() => makeLane());
  const [forward, backward, spaced] = ways, summary = element("p", "summary");
  return {
    show(step, /** @type {Data} */ data) {
      root.classList.toggle("first", step === 1);
      if (root.dataset.at !== String(step)) root.replaceChildren(...(step === 1 ? [blocks] : [forward.row, backward.row, summary, spaced.row]));
      root.dataset.at = String(step);
      if (step === 1) return fillWithPieces(blocks, data.ways[0], makeBlock);
      write(summary, data.shared.length ? counted(data.shared.length, "shared id") : "no shared ids");
      for (const [n, { name, number }] of ways.entries()) {
        write(name, data.ways[n].name);
        write(number, count(data.ways[n].n_tokens));
        ways[n].row.classList.toggle("later", n >= step);
      }
      for (const [n, { boxes }] of ways.entries()) drawWay(boxes, data.ways[n], n < 2 ? data.shared : []);
    },
  };
}

/** A token as a model receives it: its ids, with a tick for each letter that they hide. @param {Piece} piece @param {number} n */
function makeBlock({ ids, n_letters }, n) {
  const block = element("span", `block t c${n % 4}`), ticks = element("span", "ticks");
  if (ids.length > 2) block.classList.add("of-many");
  block.style.setProperty("--n", String(n_letters));
  block.dataset.spot = ids.join(" ");
  ticks.append(...Array.from({ length: Math.min(n_letters, 60) }, () => element("i")));
  block.append(element("span", "of-ids", ids.join(" ")), ticks);
  return block;
}

/** @param {HTMLElement} boxes @param {Way} way @param {number[]} shared */
function drawWay(boxes, way, shared) {
  const isShared = new Set(shared);
  fillWithPieces(boxes, way, ({ text, ids }, k) => {
    const box = makeBoxWithIds(text, ids, k);
    box.classList.toggle("is-shared", ids.some((id) => isShared.has(id)));
    return box;
  }, shared.join());
}
