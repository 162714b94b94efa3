// Letters: a text letter by letter with its ids, and the table in which an id is a row number.

import { boxText, fillToFit, makeBoxWithIds } from "../boxes.js";
import { element, fillKept, write } from "../../shared/element.js";
import { count, unitOf } from "../../shared/wording.js";

/** @typedef {{letters: {text: string, id: number | null}[], n_letters: number, rows: {text: string, id: number, moved: boolean, used: boolean}[], n_moved: number, taken: string}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root, { change, signal }) {
  const letters = element("div", "boxes letters"), table = element("div", "table");
  const summary = element("p", "summary"), number = element("b", "number"), moved = element("span");
  summary.append(number, moved);
  table.append(summary);
  root.append(letters, table);
  let taken = "", isTaking = false;
  table.addEventListener("click", (event) => {
    const cell = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".cell"));
    if (!isTaking || !cell) return;
    event.stopPropagation(); // removed, so the spotlight has nothing to show
    change({ taken: taken + cell.dataset.letter });
  }, { signal });
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      taken = data.taken;
      isTaking = step === 3;
      table.classList.toggle("taking", isTaking);
      fillKept(table, data.rows.map((row) => ({ ...row, used: row.used && step > 1 })), makeRow);
      write(number, step > 2 ? count(data.n_moved) : "");
      write(moved, step > 2 ? ` ${unitOf(data.n_moved, "id")} moved` : "");
      fillToFit(letters, data.letters, { make: ({ text, id }) => makeBoxWithIds(text, [id], id ?? 0), nAll: data.n_letters, unit: "letter" });
    },
  };
}

/** @param {Data["rows"][number]} row */
function makeRow({ text, id, moved, used }) {
  const cell = element("span", "cell");
  if (used) cell.classList.add("used", "t", `c${id % 4}`);
  if (moved) cell.classList.add("moved");
  cell.dataset.letter = text;
  cell.dataset.spot = `${boxText(text)} is row ${id}`;
  cell.append(element("b", "", boxText(text)), element("span", "", String(id)));
  return cell;
}
