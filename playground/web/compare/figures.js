// Figures: what is counted of each row, as a table, and how many boundaries the rows share.

import { element } from "../shared/element.js";
import { count, fixed, signed } from "../shared/numbers.js";
import { MARK } from "../shared/token_marks.js";
import { makeMarkKey } from "../shared/token_strip.js";
import { isDropped } from "./groups.js";

/** @typedef {import("./rows.js").Row} Row */

const SHARED = "boundaries shared";

/** @param {HTMLTableElement} table @param {Row[]} rows @param {string[]} colors a colour for each row */
export function drawFigures(table, rows, colors) {
  const isEmpty = !rows[0]?.n_characters;
  const head = [
    "tokenizer", "tokens", `against ${rows[0]?.tokenizer_name ?? "the first"}`, "bytes per token", "characters per token",
    "tokens per word", SHARED, "vocabulary",
  ];
  const fraction = (/** @type {number} */ x) => (isEmpty ? "–" : fixed(x));
  const lines = rows.map((row, r) => {
    const name = element("td", "", row.tokenizer_name), dot = element("span", "dot");
    dot.style.background = colors[r] ?? "transparent";
    name.prepend(dot);
    const cells = [
      r ? againstFirst(row, rows[0]) : "–",
      fraction(row.bytes_per_token),
      fraction(row.characters_per_token),
      fraction(row.tokens_per_word),
      isEmpty ? "–" : `${Math.round(row.shared_boundaries * 100)} %`,
      count(row.n_vocab),
    ];
    const line = element("tr");
    line.append(name, element("td", "count", count(row.n_tokens)), ...cells.map((text) => element("td", "", text)));
    return line;
  });
  const headLine = element("tr");
  for (const name of head) {
    const cell = element("th", "", name);
    if (name === SHARED) cell.title = "How many of all places where this row or the first one cuts the text are cut in both";
    headLine.append(cell);
  }
  table.tHead?.replaceChildren(headLine);
  table.tBodies[0]?.replaceChildren(...lines);
}

/** How many tokens more than the first row, or with "−" fewer, and as a share of it. @param {Row} row @param {Row} first */
export function againstFirst(row, first) {
  const share = first.n_tokens ? Math.round((100 * row.tokens_against_first) / first.n_tokens) : 0;
  return `${signed(row.tokens_against_first)}${first.n_tokens ? ` (${signed(share)}\u00a0%)` : ""}`;
}

/** How many boundaries stand in all rows, in some, in one: nothing where there is one row. @param {HTMLElement} legend @param {import("./compare_actions.js").Answer["agreement"]} agreement @param {Row[]} rows */
export function drawLegend(legend, agreement, rows) {
  if (rows.length < 2) return legend.replaceChildren(...marksKeyOf(rows));
  /** @type {[string, number, string][]} */
  const kinds = [["all", agreement.in_all, "in all"], ["some", agreement.in_some, "in some"], ["one", agreement.in_one, "in one only"]];
  const items = kinds
    .filter(([kind]) => kind !== "some" || rows.length > 2)
    .map(([kind, n, name]) => {
      const item = element("span", "", `${count(n)} ${name}`);
      item.prepend(element("i", kind));
      return item;
    });
  legend.replaceChildren(element("span", "", "Boundaries:"), ...items, ...marksKeyOf(rows));
}

/** What the marks of these rows mean. @param {Row[]} rows */
export function marksKeyOf(rows) {
  const has = (/** @type {number} */ mark) => rows.some((row) => row.marks.some((marks) => marks & mark));
  const hasDropped = (/** @type {Row} */ row) => row.firsts.some((_, group) => isDropped(row, group));
  return makeMarkKey({ isDropped: rows.some(hasDropped), isChanged: has(MARK.changed), isInserted: has(MARK.inserted) });
}
