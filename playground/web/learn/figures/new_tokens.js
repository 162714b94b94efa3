// New tokens: two matrices with new rows, and a model's parameters before and after.

import { element } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{n_added: number, n_rows: number, width: number, is_tied: boolean, before: number, after: number}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      root.replaceChildren(matrices(data), parameters(data, step === 1));
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
