// Words: the words of a sentence with their rows; a word without a row is an error, then <|unk|>, and lost after
// decoding.

import { makeBoxWithIds, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count, unitOf } from "../../shared/wording.js";

/** @typedef {{n_rows: number, n_words: number, words: {text: string, row: number | null, or_unknown: number}[], error: string, back: string}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const words = element("div", "boxes words-of"), summary = element("p", "summary"), rows = element("p", "n-rows");
  root.append(rows, words, summary);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const n = step === 1 ? data.n_rows - 2 : data.n_rows;
      rows.replaceChildren(element("b", "number", count(n)), element("span", "", unitOf(n, "row")));
      words.replaceChildren(
        ...data.words.map(({ text, row, or_unknown }, k) => {
          const isUnknown = row === null;
          const box = makeBoxWithIds(text, [isUnknown && step > 1 ? or_unknown : row], k);
          if (isUnknown) box.classList.add("unknown");
          return box;
        }),
      );
      trimToFit(words, data.n_words, "word");
      summary.classList.toggle("error", step === 1);
      summary.dataset.token = ""; // a result, not a label
      summary.textContent = step === 1 ? data.error : step === 3 ? data.back : "";
    },
  };
}
