// First look: one text in three tokenizers below each other, and four spellings of a word with their ids.

import { element } from "../../shared/element.js";
import { count, unitOf } from "../../shared/numbers.js";
import { makeBox, makeBoxWithIds } from "../parts/boxes.js";
import { trimToFit } from "../parts/trim_to_fit.js";

/** @typedef {{text: string, ids: number[]}} Piece */
/** @typedef {{panes: {name: string, n_tokens: number, pieces: Piece[]}[], spellings: Piece[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const panes = element("div", "panes"), spellings = element("div", "boxes spellings");
  root.append(panes, spellings);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const rows = data.panes.map(({ name, n_tokens, pieces }) => {
        const row = element("div", "pane"), strip = element("div", "boxes");
        strip.append(...pieces.map(({ text, ids }, n) => {
          const box = makeBox(text, n);
          box.dataset.spot = ids.join(" ");
          return box;
        }));
        row.append(element("span", "name-of", name), strip, element("b", "number", count(n_tokens)), element("span", "soft", unitOf(n_tokens, "token")));
        return { row, strip, nAll: Math.max(n_tokens, pieces.length), isWhole: pieces.reduce((sum, piece) => sum + piece.ids.length, 0) === n_tokens, pieces };
      });
      panes.replaceChildren(...rows.map(({ row }) => row));
      for (const { strip, nAll, isWhole, pieces } of rows) trimToFit(strip, isWhole ? pieces.length : nAll, "token");
      spellings.classList.toggle("later", step < 2);
      spellings.replaceChildren(element("span", "name-of", "gpt2"), ...data.spellings.map(({ text, ids }, n) => makeBoxWithIds(text, ids, n)));
    },
  };
}
