// GPT-2's files: the letter for each byte, and a text in these letters; the text's lines in both files; and the text
// in two tokenizers, one of which has tokens of many spaces.

import { fillToFit, fillWithPieces, makeBoxWithIds } from "../boxes.js";
import { element, fillKept, write } from "../../shared/element.js";
import { count, counted } from "../../shared/wording.js";

/** @typedef {{id: number, lines: [key: string, line: string, number: number]}} Entry */
/** @typedef {{name: string, n_tokens: number, pieces: {text: string, ids: number[]}[], n_of_spaces: number}} Pane */
/** @typedef {{letters: string[], used: number[], written: string, n_bytes: number, entries: Entry[], panes: Pane[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const grid = element("div", "grid"), letters = element("div", "written"), panes = [makePane(), makePane()];
  return {
    show(step, /** @type {Data} */ data) {
      const at = String(step), parts = step === 1 ? [grid, letters] : step === 2 ? [letters, files(data.entries)] : panes.map(({ box }) => box);
      if (root.dataset.at !== at || step === 2) root.replaceChildren(...parts);
      root.dataset.at = at;
      if (step === 1) {
        const isUsed = new Set(data.used);
        fillKept(grid, data.letters.map((letter, byte) => ({ letter, byte, isUsed: isUsed.has(byte) })), makeCell);
      }
      if (step < 3) {
        return fillToFit(letters, [...data.written], { make: (letter) => element("span", "t", letter), nAll: data.n_bytes, unit: "byte", variant: at });
      }
      for (const [k, pane] of panes.entries()) drawHead(pane, data.panes[k]);
      for (const [k, { boxes }] of panes.entries()) fillWithPieces(boxes, data.panes[k], ({ text, ids }, n) => makeBoxWithIds(text, ids, n));
    },
  };
}

/** @param {{letter: string, byte: number, isUsed: boolean}} of */
function makeCell({ letter, byte, isUsed }) {
  const cell = element("span", "cell t", letter);
  if (letter.codePointAt(0) !== byte) cell.classList.add("stands-in");
  if (isUsed) cell.classList.add("used");
  cell.dataset.spot = `${byte} → ${letter}`;
  return cell;
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

/** An empty pane for a tokenizer. */
function makePane() {
  const box = element("div", "pane"), boxes = element("div", "boxes"), head = element("div", "head");
  const number = element("b", "number"), name = element("span", "soft"), ofSpaces = element("span");
  head.append(number, name, ofSpaces);
  box.append(head, boxes);
  return { box, boxes, number, name, ofSpaces };
}

/** @param {ReturnType<typeof makePane>} pane @param {Pane} data */
function drawHead({ number, name, ofSpaces }, data) {
  write(number, count(data.n_tokens));
  write(name, data.name);
  write(ofSpaces, `${counted(data.n_of_spaces, "token")} of spaces`);
}
