// Count and merge: the row of letters, the code that runs on it, the counts of its pairs, and the row after the
// merge.

import { boxText, makeBox, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";

/** @typedef {{before: string[], counts: {pair: string, count: number}[], pair?: string, count?: number, places: number[], after: string[], code: string[][]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const before = element("div", "row"), counts = element("div", "boxes counts"), code = element("pre", "lines"), after = element("div", "row");
  root.append(before, counts, code, after);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const lit = new Set(step === 2 ? data.places.flatMap((place) => [place, place + 1]) : []);
      drawRow(before, data.before, (n) => lit.has(n), data);
      const chips = data.counts.map(({ pair, count }) => {
        const chip = element("span", step > 1 && pair === data.pair ? "chip best" : "chip");
        chip.dataset.token = "";
        chip.append([...pair].map(boxText).join(""), element("b", "", `×${count}`));
        return chip;
      });
      counts.replaceChildren(...chips);
      trimToFit(counts, chips.length, "pair");
      code.replaceChildren(...(data.code[step - 1] ?? []).map((text) => {
        const line = element("code", "", text);
        line.dataset.token = "";
        return line;
      }));
      after.classList.toggle("later", step < 3);
      drawRow(after, data.after, (n) => data.after[n] === data.pair, data);
    },
  };
}

/** @param {HTMLElement} row @param {string[]} texts @param {(n: number) => boolean} isLit @param {Data} data */
function drawRow(row, texts, isLit, { before, pair }) {
  const boxes = element("div", "boxes"), letters = [...new Set(before)];
  boxes.append(...texts.map((text, n) => {
    const box = makeBox([...text].map(boxText).join(""), text === pair ? 3 : letters.indexOf(text) % 3);
    if (isLit(n)) box.classList.add("marked");
    return box;
  }));
  row.replaceChildren(boxes, element("b", "number", String(texts.length)));
  trimToFit(boxes, texts.length, "box");
}
