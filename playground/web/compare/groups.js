// Groups: the shortest runs of tokens that start on a character, and the columns that several rows of them make.

import { MARK } from "../shared/token_marks.js";
import { isLowSurrogate } from "../shared/utf8.js";

/**
 * The groups of a row: `positions[g]` is where group g starts in the text, in UTF-16 units, `firsts[g]` its first
 * token; a group without tokens is text that was dropped. `marks[g]` has a bit for each `MARK` of its tokens.
 * @typedef {{positions: Uint32Array, firsts: Uint32Array, marks: Uint8Array, nTokens: number}} Groups
 */

/**
 * The text between two neighbouring boundaries of any row, with each row's group. `starts[r]` is whether a token of
 * row r starts at the column, `nFound` in how many rows one does.
 * @typedef {{from: number, to: number, groups: number[], starts: boolean[], nFound: number}} Column
 */

/** The last group that starts at or before a position. @param {Groups} row @param {number} position */
export function groupAt(row, position) {
  let low = 0, high = row.positions.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (row.positions[middle] <= position) low = middle;
    else high = middle;
  }
  return low;
}

/** The tokens of a group, half-open. @param {Groups} row @param {number} group @returns {[first: number, end: number]} */
export function tokensOf(row, group) {
  return [row.firsts[group], group + 1 < row.firsts.length ? row.firsts[group + 1] : row.nTokens];
}

/** Whether no token stands for a group. @param {Groups} row @param {number} group */
export function isDropped(row, group) {
  const [first, end] = tokensOf(row, group);
  return first === end;
}

/** What is told of a group besides its text, as classes of its element. @param {Groups} row @param {number} group */
export function kindsOf(row, group) {
  const kinds = [];
  if (row.marks[group] & MARK.changed) kinds.push("changed");
  if (row.marks[group] & MARK.inserted) kinds.push("inserted");
  return kinds;
}

/**
 * The columns of `start … end`, which is a boundary of some row or the start of the text.
 * @param {Groups[]} rows
 * @param {number} start
 * @param {number} end
 * @returns {Generator<Column>}
 */
export function* iterColumns(rows, start, end) {
  const groups = rows.map((row) => groupAt(row, start));
  for (let from = start; from < end; ) {
    let to = end;
    const starts = rows.map((row, r) => row.positions[groups[r]] === from && !isDropped(row, groups[r]));
    rows.forEach((row, r) => {
      const next = row.positions[groups[r] + 1];
      if (next !== undefined && next < to) to = next;
    });
    yield { from, to, groups: [...groups], starts, nFound: starts.filter(Boolean).length };
    rows.forEach((row, r) => {
      if (row.positions[groups[r] + 1] === to) groups[r] += 1;
    });
    from = to;
  }
}

/**
 * How many tokens each group of `start … end` has, its marks and where it starts, counted from `start`: two stretches of the
 * same signature and the same text look the same.
 * @param {Groups[]} rows
 * @param {number} start
 * @param {number} end
 */
export function signature(rows, start, end) {
  return rows
    .map((row) => {
      const parts = [];
      for (let group = groupAt(row, start); group < row.positions.length && row.positions[group] < end; group++) {
        const [first, last] = tokensOf(row, group);
        parts.push(row.positions[group] - start, last - first, row.marks[group]);
      }
      return parts.join();
    })
    .join(";");
}

/**
 * Cut a text into stretches of about `nUnits`, after line feeds or spaces where there are any: their ends.
 * @param {string} text
 * @param {number} nUnits
 */
export function blockEnds(text, nUnits) {
  const ends = [];
  let start = 0;
  while (text.length - start > nUnits * 1.5) {
    let end = text.indexOf("\n", start + nUnits) + 1;
    if (end === 0 || end > start + nUnits * 1.5) end = text.indexOf(" ", start + nUnits);
    if (end <= start || end > start + nUnits * 1.5) end = start + nUnits;
    if (isLowSurrogate(text.charCodeAt(end))) end += 1;
    ends.push(end);
    start = end;
  }
  if (start < text.length) ends.push(text.length);
  return ends;
}
