// New tokens: two matrices with new rows, a model's parameters before and after, and a prompt beside gist tokens.

import { trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{n_added: number, n_rows: number, width: number, is_tied: boolean, before: number, after: number, n_prompt: number}} Data */

const MAX_CELLS = 200;

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      root.replaceChildren(...(step < 3 ? [matrices(data), parameters(data, step === 1)] : gists(data)));
      const row = /** @type {HTMLElement | null} */ (root.querySelector(".of-prompt .row-of"));
      if (row) trimToFit(row, data.n_prompt, "token");
    },
  };
}

/** @param {Data} data */
function matrices(data) {
  const both = element("div", "both");
  both.append(...(data.is_tied ? ["embedding = lm_head"] : ["embedding", "lm_head"]).map((name) => {
    const matrix = element("div", "matrix"), old = element("div", "old", `${count(data.n_rows)} × ${count(data.width)}`);
    matrix.append(element("span", "name-of", name), old, ...Array.from({ length: data.n_added }, () => element("i", "new-row")));
    return matrix;
  }));
  return both;
}

/** @param {Data} data @param {boolean} isLater */
function parameters({ before, after }, isLater) {
  const made = element("p", `parameters${isLater ? " later" : ""}`);
  made.append(element("b", "number", count(before)), element("span", "", "→"), element("b", "number", count(after)));
  return made;
}

/** @param {Data} data */
function gists({ n_prompt, n_added }) {
  return [cells(n_prompt, "prompt tokens", "of-prompt"), cells(n_added, "gist tokens", "of-gist")];
}

/** @param {number} n @param {string} unit @param {string} kind */
function cells(n, unit, kind) {
  const made = element("div", `places ${kind}`), head = element("p", "parameters"), row = element("div", "row-of");
  head.append(element("b", "number", count(n)), element("span", "", unit));
  row.append(...Array.from({ length: Math.min(n, MAX_CELLS) }, () => element("i")));
  made.append(head, row);
  return made;
}
