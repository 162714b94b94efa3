// Compare's session on the wire, and the tokens of each tokenizer as columns that all rows share.

import { cutPieces } from "../shared/live_text.js";
import { droppedBefore, droppedBehind, MARK, markOf, NO_MARKS } from "../shared/segments.js";
import { isHighSurrogate, isLowSurrogate } from "../shared/unicode.js";
import { postForColumns } from "../shared/wire.js";

/** A row's figures. @typedef {import("../shared/wire_types.d.ts").ComparisonRow} Figures */

/**
 * A row's change after an edit: `pieces` replace `n_removed` pieces.
 * @typedef {Figures & Omit<import("../shared/wire_types.d.ts").RowChange, "pieces"> &
 *   {pieces: import("../shared/live_text.js").Piece[]}} ChangedRow
 */

/** A part of a row; positions count from its own start. @typedef {Groups & {nUtf16: number, ids: Uint32Array}} RowPiece */

/** @typedef {Figures & Groups & {ids: Uint32Array, pieces: RowPiece[]}} Row */

/**
 * The rows of a text after an edit. `held` are the rows before it; null if the server sent all pieces.
 * @param {Row[] | null} held
 * @param {ChangedRow[]} changed
 * @param {string} text after the edit
 * @returns {Row[]}
 */
export function changeRows(held, changed, text) {
  return changed.map(({ first, n_removed, pieces, ...figures }, r) => {
    const kept = held?.[r].pieces ?? [];
    let start = kept.slice(0, first).reduce((n, piece) => n + piece.nUtf16, 0);
    const fresh = pieces.map(({ ids, lengths, marks, nUtf16 }) => ({
      ids, nUtf16, ...groupTokens(text.slice(start, (start += nUtf16)), lengths, marks),
    }));
    const all = [...kept.slice(0, first), ...fresh, ...kept.slice(first + n_removed)];
    return { ...figures, pieces: all, ...joinPieces(all) };
  });
}

/**
 * Group tokens of these byte lengths: a group starts with each token that starts a character. Dropped text is a group
 * without tokens.
 * @param {string} text
 * @param {ArrayLike<number>} lengths
 * @param {Uint32Array} [marks] differences between the tokens and the text
 * @returns {Groups}
 */
export function groupTokens(text, lengths, marks = NO_MARKS) {
  const nTokens = lengths.length, most = marks.length ? 2 * nTokens + 2 : nTokens;
  const positions = new Uint32Array(most), firsts = new Uint32Array(most), kinds = new Uint8Array(most);
  let n = 0, unit = 0, byte = 0; // `byte` is the offset of the character at `unit`
  const start = (/** @type {number} */ place, /** @type {number} */ token) => {
    while (byte < place) {
      const code = text.charCodeAt(unit++);
      if (code < 0x80) byte += 1;
      else if (code < 0x800) byte += 2;
      else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(unit))) {
        byte += 4;
        unit += 1;
      } else byte += 3;
    }
    if (byte !== place) return;
    positions[n] = unit;
    firsts[n++] = token;
  };
  const nBefore = droppedBefore(marks);
  if (nBefore) start(0, 0);
  for (let token = 0, place = 0; token < nTokens; token++) {
    start(token ? place : nBefore, token);
    if (n) kinds[n - 1] |= markOf(marks, token);
    place += lengths[token];
    const nBehind = droppedBehind(marks, token);
    if (nBehind) start(place - nBehind, token + 1);
  }
  return { positions: positions.subarray(0, n), firsts: firsts.subarray(0, n), marks: kinds.subarray(0, n), nTokens };
}

/** Join the ids and groups of pieces into those of the whole text. @param {RowPiece[]} pieces */
function joinPieces(pieces) {
  const nTokens = pieces.reduce((n, piece) => n + piece.nTokens, 0), nGroups = pieces.reduce((n, piece) => n + piece.firsts.length, 0);
  const ids = new Uint32Array(nTokens), positions = new Uint32Array(nGroups), firsts = new Uint32Array(nGroups), marks = new Uint8Array(nGroups);
  let token = 0, group = 0, start = 0;
  for (const piece of pieces) {
    ids.set(piece.ids, token);
    marks.set(piece.marks, group);
    for (let g = 0; g < piece.firsts.length; g++, group++) {
      positions[group] = start + piece.positions[g];
      firsts[group] = token + piece.firsts[g];
    }
    token += piece.nTokens;
    start += piece.nUtf16;
  }
  return { ids, positions, firsts, marks, nTokens };
}

/**
 * The groups of a row: `positions[g]` is the position in the text at which group g starts, in UTF-16 units,
 * `firsts[g]` its first token; a group without tokens is dropped text. `marks[g]` has a bit for each `MARK` of its
 * tokens.
 * @typedef {{positions: Uint32Array, firsts: Uint32Array, marks: Uint8Array, nTokens: number}} Groups
 */

/**
 * The text between two neighbouring boundaries of any row, with each row's group. `starts[r]`: whether a token of row
 * r starts at the column; `nFound`: the number of rows in which one does.
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

/** Whether a group is dropped text. @param {Groups} row @param {number} group */
export function isDropped(row, group) {
  const [first, end] = tokensOf(row, group);
  return first === end;
}

/** The marks of a group as CSS classes. @param {Groups} row @param {number} group */
export function kindsOf(row, group) {
  const kinds = [];
  if (row.marks[group] & MARK.changed) kinds.push("changed");
  if (row.marks[group] & MARK.inserted) kinds.push("inserted");
  return kinds;
}

/**
 * Yield the columns of `start … end`; `start` is a boundary of some row or the start of the text.
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
 * The number of tokens, marks and relative start of each group in `start … end`. Two parts with the same signature
 * and text look the same.
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
 * Cut a text into parts of about `nUnits`, after line feeds or spaces if possible; return their ends.
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

/** The changes of each row. @typedef {Omit<import("../shared/wire_types.d.ts").CompareChange, "rows"> & {rows: ChangedRow[]}} Answer */

/** Post an action that answers with the rows' changes. @param {string} url @param {"open" | "edit"} action @param {object} body @returns {Promise<Answer>} */
export async function askForRows(url, action, body) {
  const { header, columns } = await postForColumns(url, action, body);
  const rows = header.rows.map((/** @type {any} */ row, /** @type {number} */ r) => {
    return { ...row, pieces: cutPieces(row.pieces, columns.slice(3 * r, 3 * r + 3)) };
  });
  return { ...header, rows };
}
