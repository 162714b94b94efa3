// GPT-2's files: the letters of all bytes and a text in them; the lines that its tokens have in both files; and the
// text's tokens in two tokenizers, one of which has tokens of many spaces.

import { element } from "../../shared/element.js";
import { count } from "../../shared/numbers.js";
import { makeBoxWithIds } from "../parts/boxes.js";
import { trimToFit } from "../parts/trim_to_fit.js";

/** @typedef {{id: number, lines: [key: string, line: string, number: number]}} Entry */
/** @typedef {{name: string, n: number, n_pieces: number, pieces: {text: string, ids: number[]}[], n_of_spaces: number}} Pane */
/** @typedef {{letters: string[], used: number[], written: string, entries: Entry[], panes: Pane[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    show(step, /** @type {Data} */ data) {
      root.replaceChildren(...(step === 1 ? [grid(data), written(data.written)] : step === 2 ? [written(data.written), files(data.entries)] : data.panes.map(pane)));
      root.dataset.at = String(step);
      for (const boxes of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".boxes"))) trimToFit(boxes, Number(boxes.dataset.nAll), "piece");
      const letters = root.querySelector(".written");
      if (letters) trimToFit(/** @type {HTMLElement} */ (letters), letters.childElementCount, "byte");
    },
  };
}

/** @param {Data} data */
function grid({ letters, used }) {
  const box = element("div", "grid"), isUsed = new Set(used);
  box.append(
    ...letters.map((letter, byte) => {
      const cell = element("span", "cell t", letter);
      if (letter.codePointAt(0) !== byte) cell.classList.add("stands-in");
      if (isUsed.has(byte)) cell.classList.add("used");
      cell.dataset.spot = `${byte} → ${letter}`;
      return cell;
    }),
  );
  return box;
}

/** @param {string} text */
function written(text) {
  const box = element("div", "written");
  box.append(...[...text].map((letter) => element("span", "t", letter)));
  return box;
}

/** @param {Entry[]} entries */
function files(entries) {
  const table = element("div", "files");
  table.append(element("span", "soft", "encoder.json"), element("span", "soft", "vocab.bpe"));
  for (const { id, lines: [key, line, number] } of entries) {
    table.append(element("span", "t entry", `${JSON.stringify(key)}: ${id}`));
    const merge = element("span", "merge");
    if (line) merge.append(element("span", "soft", count(number)), element("span", "t entry", line));
    table.append(merge);
  }
  return table;
}

/** @param {Pane} pane */
function pane({ name, n, n_pieces: nPieces, pieces, n_of_spaces }) {
  const box = element("div", "pane"), boxes = element("div", "boxes"), head = element("div", "head");
  boxes.dataset.nAll = String(nPieces);
  boxes.append(...pieces.map(({ text, ids }, k) => makeBoxWithIds(text, ids, k)));
  head.append(element("b", "number", count(n)), element("span", "soft", name), element("span", "", `of spaces: ${n_of_spaces}`));
  box.append(head, boxes);
  return box;
}
