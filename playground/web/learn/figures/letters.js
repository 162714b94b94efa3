// Letters: a text letter by letter with its ids, and the table whose rows they number.

import { element } from "../../shared/element.js";
import { count } from "../../shared/numbers.js";
import { boxText, makeBoxWithIds } from "../parts/boxes.js";
import { trimToFit } from "../parts/trim_to_fit.js";

/** @typedef {{letters: {text: string, id: number | null}[], n_letters: number, rows: {text: string, id: number, moved: boolean, used: boolean}[], n_moved: number}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const letters = element("div", "boxes letters"), table = element("div", "table");
  root.append(letters, table);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      letters.replaceChildren(...data.letters.map(({ text, id }) => makeBoxWithIds(text, [id], (id ?? 0))));
      trimToFit(letters, data.n_letters, "letter");
      table.replaceChildren(...data.rows.map((row) => {
        const cell = element("span", "cell");
        if (row.used && step > 1) cell.classList.add("used", "t", `c${row.id % 4}`);
        if (row.moved) cell.classList.add("moved");
        cell.dataset.spot = `${boxText(row.text)} is row ${row.id}`;
        cell.append(element("b", "", boxText(row.text)), element("span", "", String(row.id)));
        return cell;
      }));
      const moved = element("p", "told");
      if (step > 2) moved.append(element("b", "number", count(data.n_moved)), data.n_moved === 1 ? " id moved" : " ids moved");
      table.append(moved);
    },
  };
}
