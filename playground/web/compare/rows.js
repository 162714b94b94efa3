// Rows: each tokenizer's tokens over the characters of one text, kept in the pieces that the server sends.

import { droppedBefore, droppedBehind, markOf, NO_MARKS } from "../shared/token_marks.js";
import { isHighSurrogate, isLowSurrogate } from "../shared/utf8.js";

/** @typedef {import("./groups.js").Groups} Groups */

/** What is counted of a row. @typedef {import("../shared/wire_types.d.ts").ComparisonRow} Figures */

/**
 * What the server says of a row after an edit: `pieces` take the place of `n_removed` ones.
 * @typedef {Figures & Omit<import("../shared/wire_types.d.ts").RowChange, "pieces"> &
 *   {pieces: import("../shared/text_edits.js").Piece[]}} ChangedRow
 */

/** A stretch of a row; its groups count from its own start. @typedef {Groups & {nUtf16: number, ids: Uint32Array}} RowPiece */

/** @typedef {Figures & Groups & {ids: Uint32Array, pieces: RowPiece[]}} Row */

/**
 * The rows of a text after an edit. `held` are the rows before it; null where the server sends all pieces.
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
 * The groups of tokens of these byte lengths: one starts with each token that starts a character. Text that no token
 * stands for is a group without tokens.
 * @param {string} text
 * @param {ArrayLike<number>} lengths
 * @param {Uint32Array} [marks] what the tokens do not spell
 * @returns {Groups}
 */
export function groupTokens(text, lengths, marks = NO_MARKS) {
  const nTokens = lengths.length, most = marks.length ? 2 * nTokens + 2 : nTokens;
  const positions = new Uint32Array(most), firsts = new Uint32Array(most), kinds = new Uint8Array(most);
  let n = 0, unit = 0, byte = 0; // `byte` is where the character at `unit` starts
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

/** Ids and groups of pieces as those of the whole text. @param {RowPiece[]} pieces */
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
