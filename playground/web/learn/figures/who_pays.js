// Who pays: the tokens of the same text in five languages, by BPE and by parity-aware BPE, and what both cost in all.

import { element } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{languages: string[], plain: number[], fair: number[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const rows = element("div", "rows"), sums = element("div", "sums");
  root.append(rows, sums);
  return {
    show(step, /** @type {Data} */ { languages, plain, fair }) {
      const most = Math.max(...plain, ...fair), isFair = step > 1;
      rows.replaceChildren(...languages.map((language, n) => {
        const row = element("div", "row");
        const track = element("span", "track"), filled = element("i", `filled${isFair && fair[n] > plain[n] ? " pays" : ""}`), mark = element("i", "mark");
        filled.style.width = `${(100 * (isFair ? fair : plain)[n]) / most}%`;
        mark.style.left = `${(100 * plain[n]) / most}%`;
        mark.hidden = !isFair;
        track.append(filled, mark);
        const summary = element("span", "summary");
        if (isFair) summary.append(element("span", "before", `${count(plain[n])} →`));
        summary.append(element("b", "", count((isFair ? fair : plain)[n])));
        row.append(element("span", "name-of", language), track, summary, element("b", "change", isFair ? changeOf(plain[n], fair[n]) : ""));
        return row;
      }));
      sums.classList.toggle("later", step < 3);
      const [before, after] = [sumsOf(plain), sumsOf(fair)];
      sums.replaceChildren(makeSum("most : fewest", [before.ratio, after.ratio]), makeSum("tokens in all", [before.inAll, after.inAll]));
    },
  };
}

/** A change in percent, with its sign. @param {number} before @param {number} after */
export function changeOf(before, after) {
  const percent = Math.round((100 * (after - before)) / before);
  return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent)} %`;
}

/** The most tokens of a language by the fewest, and those of all languages. @param {number[]} counts */
export const sumsOf = (counts) => ({
  ratio: (Math.max(...counts) / Math.min(...counts)).toFixed(2),
  inAll: count(counts.reduce((sum, n) => sum + n, 0)),
});

/** @param {string} title @param {string[]} values with BPE, and with parity-aware BPE */
function makeSum(title, [before, after]) {
  const sum = element("p", "sum"), numbers = element("span", "numbers");
  numbers.append(element("span", "before", `${before} →`), element("b", "number", after));
  sum.append(numbers, element("span", "soft", title));
  return sum;
}
