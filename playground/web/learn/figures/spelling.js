// Spelling: a text's tokens as blocks with a tick a letter and no letters; then with them, backwards, and spaced out.

import { element } from "../../shared/element.js";
import { count } from "../../shared/numbers.js";
import { makeBoxWithIds } from "../parts/boxes.js";
import { trimToFit } from "../parts/trim_to_fit.js";

/** @typedef {{text: string, ids: number[], n_letters: number}} Piece */
/** @typedef {{name: string, n: number, pieces: Piece[]}} Way */
/** @typedef {{ways: Way[], shared: number[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    show(step, /** @type {Data} */ data) {
      root.classList.toggle("first", step === 1);
      if (step === 1) {
        const blocks = element("div", "blocks");
        blocks.append(...data.ways[0].pieces.map(makeBlock));
        root.replaceChildren(blocks);
        return trimToFit(blocks, data.ways[0].pieces.length, "token");
      }
      const shared = new Set(data.shared);
      const [forward, backward, spaced] = data.ways.map((way, n) => makeWay(way, n < 2 ? shared : new Set(), n < step));
      root.replaceChildren(forward, backward, element("p", "told", data.shared.length ? `${count(data.shared.length)} shared` : "none shared"), spaced);
      for (const boxes of root.querySelectorAll(".boxes")) trimToFit(/** @type {HTMLElement} */ (boxes), boxes.childElementCount, "piece");
    },
  };
}

/** A token as a model gets it: its ids, and a tick for each letter that it hides. @param {Piece} piece @param {number} n */
function makeBlock({ ids, n_letters }, n) {
  const block = element("span", `block t c${n % 4}`), ticks = element("span", "ticks");
  block.style.setProperty("--n", String(n_letters));
  block.dataset.spot = ids.join(" ");
  ticks.append(...Array.from({ length: Math.min(n_letters, 60) }, () => element("i")));
  block.append(element("span", "of-ids", ids.join(" ")), ticks);
  return block;
}

/** @param {Way} way @param {Set<number>} shared @param {boolean} isSeen */
function makeWay({ name, n, pieces }, shared, isSeen) {
  const row = element("div", isSeen ? "way" : "way unseen-yet"), boxes = element("div", "boxes");
  boxes.append(
    ...pieces.map((piece, k) => {
      const box = makeBoxWithIds(piece.text, piece.ids, k);
      if (piece.ids.some((id) => shared.has(id))) box.classList.add("is-shared");
      return box;
    }),
  );
  row.append(element("span", "name-of", name), boxes, element("b", "number", count(n)));
  return row;
}
