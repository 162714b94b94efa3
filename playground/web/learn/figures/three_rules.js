// Three rules: the tokens of a text by BPE, WordPiece and Unigram, and the tokens that their vocabularies share.

import { fillWithPieces, makeLane, makePieceBox } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{rows: {name: string, n_tokens: number, pieces: {text: string, ids: number[]}[]}[], size: number, n_shared: number, n_in_any: number}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const lanes = [0, 1, 2].map(() => makeLane());
  const shared = element("p", "shared");
  root.append(...lanes.map(({ row }) => row), shared);
  return {
    show(step, /** @type {Data} */ data) {
      for (const [n, { row, name, boxes, number }] of lanes.entries()) {
        row.classList.toggle("later", n >= step);
        name.textContent = data.rows[n].name;
        number.textContent = count(data.rows[n].n_tokens);
        fillWithPieces(boxes, data.rows[n], makePieceBox);
      }
      shared.classList.toggle("later", step < 3);
      shared.replaceChildren(element("b", "number", count(data.n_shared)), element("span", "", `of ${count(data.n_in_any)} longer tokens are in all three`));
    },
  };
}
