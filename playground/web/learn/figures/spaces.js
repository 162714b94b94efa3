// Spaces: the tokens at a text's end, and below them the shares of tokens with a leading space, the possible
// completions, or what follows the last token in a novel.

import { makeBox, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count } from "../../shared/wording.js";
import mountEdge from "./prompts_edge.js";

/** @typedef {{text: string, ids: number[]}} Piece */
/**
 * @typedef {{shares: {name: string, n: number, of: number}[], is_cut: boolean, pieces: Piece[], n_stable: number, edge: any,
 *   n_completions: number, completions: string[]}} Data
 */

/** @type {import("./table.js").Mount} */
export default function mount(root, frame) {
  const strips = element("div", "strips"), below = element("div", "below"), edge = element("div", "figure-prompts-edge");
  const edgeFigure = mountEdge(edge, frame);
  root.append(strips, below, edge);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const isEdge = step === 3 && data.edge !== null;
      edge.hidden = !isEdge;
      strips.hidden = below.hidden = isEdge;
      if (isEdge) return edgeFigure.show(3, data.edge);
      const rows = [strip(data.pieces, data.is_cut, (n) => (step === 2 && n < data.n_stable ? "stays" : isLone(data, n) && step > 1 ? "lone" : ""))];
      strips.replaceChildren(...rows);
      for (const row of rows) keepEnd(row);
      const made = step === 1 ? data.shares.map(share) : completions(data);
      below.className = `below step${step}`;
      below.replaceChildren(...made);
      const chips = /** @type {HTMLElement | null} */ (below.querySelector(".chips"));
      if (chips) trimToFit(chips, data.n_completions, "completion");
    },
  };
}

/** Whether a piece is a single space at the end of the text. @param {Data} data @param {number} n */
const isLone = (data, n) => n === data.pieces.length - 1 && data.pieces[n].text === " ";

/** @param {Piece[]} pieces @param {boolean} isCut @param {(n: number) => string} kindOf */
function strip(pieces, isCut, kindOf) {
  const row = element("div", "boxes");
  if (isCut) row.append(element("span", "soft", "…"));
  row.append(...pieces.map(({ text, ids }, n) => {
    const box = makeBox(text, n), kind = kindOf(n);
    if (kind) box.classList.add(kind);
    box.dataset.spot = ids.join(" ");
    return box;
  }));
  return row;
}

/** Remove pieces from the start of a row until its end fits. @param {HTMLElement} row */
function keepEnd(row) {
  while (row.scrollHeight > row.clientHeight + 1 && row.children.length > 1) {
    if (row.firstElementChild?.classList.contains("soft")) row.children[1].remove();
    else row.firstElementChild?.replaceWith(element("span", "soft", "…"));
  }
}

/** @param {{name: string, n: number, of: number}} of */
function share({ name, n, of }) {
  const line = element("div", "share"), track = element("span", "track"), filled = element("i");
  filled.style.width = `${(n / of) * 100}%`;
  track.append(filled);
  line.append(element("span", "name-of", name), track, element("b", "number", count(n)), element("span", "soft", `/ ${count(of)}`));
  return line;
}

/** @param {Data} data */
function completions({ n_completions, completions: first }) {
  const chips = element("div", "chips boxes");
  chips.append(...first.map((text) => {
    const chip = makeBox(text, 0);
    chip.classList.add("chip");
    return chip;
  }));
  return [element("b", "number", count(n_completions)), chips];
}
