// First look: a text in three tokenizers, and the spellings of a word with their ids.

import { fillWithPieces, isOver, makeBoxWithIds, makePieceBox } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count, counted, unitOf } from "../../shared/wording.js";

/** @typedef {{text: string, ids: number[]}} Piece */
/** @typedef {{panes: {name: string, n_tokens: number, pieces: Piece[]}[], spellings: Piece[]}} Data */

/** Ids shown below a spelling; further ids are counted. */
const MAX_IDS = 8;

/** @type {import("./table.js").Mount} */
export default function mount(root, { isPresenting }) {
  const panes = element("div", "panes"), spellings = element("div", "boxes spellings");
  root.append(panes, spellings);
  /** @type {Map<string, ReturnType<typeof makePane>>} */
  const rows = new Map();
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      for (const { name } of data.panes) {
        if (rows.has(name)) continue;
        rows.set(name, makePane(name));
        panes.append(/** @type {ReturnType<typeof makePane>} */ (rows.get(name)).row);
      }
      spellings.hidden = step < 2;
      spellings.replaceChildren(element("span", "name-of", "gpt2"), ...data.spellings.map(({ text, ids }, n) => makeSpelling(text, ids, n)));
      root.classList.remove("tight");
      const isTight = isPresenting() && isOver(root); // keep the spellings visible: the panes above become smaller
      root.classList.toggle("tight", isTight);
      for (const { name, ...shown } of data.panes) {
        const { strip, number, unit } = /** @type {ReturnType<typeof makePane>} */ (rows.get(name));
        number.textContent = count(shown.n_tokens);
        unit.textContent = unitOf(shown.n_tokens, "token");
        fillWithPieces(strip, shown, makePieceBox, isTight ? "tight" : "");
      }
    },
  };
}

/** A spelling with its first ids and the number of further ids. @param {string} text @param {number[]} ids @param {number} n */
function makeSpelling(text, ids, n) {
  const made = makeBoxWithIds(text, ids.slice(0, MAX_IDS), n), nMore = ids.length - MAX_IDS;
  if (nMore > 0) made.querySelector(".id")?.append(` + ${counted(nMore, "id")}`);
  return made;
}

/** @param {string} name */
function makePane(name) {
  const row = element("div", "pane"), strip = element("div", "boxes"), number = element("b", "number"), unit = element("span", "soft");
  row.append(element("span", "name-of", name), strip, number, unit);
  return { row, strip, number, unit };
}
