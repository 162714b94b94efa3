// Token marks: what of a text its tokens do not spell, as `analysis/token_marks.py` tells it.

import { utf8Length } from "./utf8.js";

/** Tokens spell all that they stand for. */
export const NO_MARKS = new Uint32Array();

/** How a token differs from the text that it stands for. */
export const MARK = { asTyped: 0, changed: 1, inserted: 2 };

/** The bytes that were dropped before the first token. @param {Uint32Array} marks */
export const droppedBefore = (marks) => marks[0] ?? 0;

/** The bytes that were dropped behind a token. @param {Uint32Array} marks @param {number} token */
export const droppedBehind = (marks, token) => (marks.length ? marks[token + 1] >> 2 : 0);

/** @param {Uint32Array} marks @param {number} token */
export const markOf = (marks, token) => (marks.length ? marks[token + 1] & 3 : MARK.asTyped);

/** The marks of some of the tokens, none where nothing is to be told. @param {Uint32Array} marks @param {number} first @param {number} last */
export function sliceMarks(marks, first, last) {
  if (!marks.length) return marks;
  const own = marks.slice(first, last + 1);
  if (first > 0) own[0] = 0; // it was dropped behind the token before
  return own;
}

/**
 * The text of a segment in three: what was dropped before it, what its tokens stand for, what was dropped behind it.
 * A mark of a letter stays with the letter; then the tokens do not spell what they stand for.
 * @param {import("./segments.js").Segment} segment
 * @param {Uint32Array} marks of the tokens that the segment is of
 */
export function partsOfSegment({ text, first, last }, marks) {
  const kinds = new Set(Array.from({ length: last - first }, (_, i) => markOf(marks, first + i)));
  let isChanged = kinds.has(MARK.changed);
  for (let token = first; token < last - 1; token++) isChanged ||= droppedBehind(marks, token) > 0;
  const before = first === 0 ? unitsOf(text, droppedBefore(marks)) : 0;
  const nBehind = droppedBehind(marks, last - 1);
  let end = nBehind ? unitsOf(text, utf8Length(text) - nBehind) : text.length;
  const joined = /^[\p{M}\u200c\u200d]+/u.exec(text.slice(end));
  if (joined && end > before) {
    isChanged = true;
    end += joined[0].length;
  }
  return { before: text.slice(0, before), own: text.slice(before, end), behind: text.slice(end), isChanged, isInserted: kinds.has(MARK.inserted) };
}

/** What there is to be told. @typedef {{isDropped: boolean, isChanged: boolean, isInserted: boolean}} MarkKinds */

/** @param {Uint32Array} marks @returns {MarkKinds} */
export function kindsOfMarks(marks) {
  let isDropped = droppedBefore(marks) > 0, isChanged = false, isInserted = false;
  for (let token = 0; token < marks.length - 1; token++) {
    isDropped ||= droppedBehind(marks, token) > 0;
    isChanged ||= markOf(marks, token) === MARK.changed;
    isInserted ||= markOf(marks, token) === MARK.inserted;
  }
  return { isDropped, isChanged, isInserted };
}

/** The UTF-16 units of the first bytes of a text. @param {string} text @param {number} nBytes */
function unitsOf(text, nBytes) {
  let units = 0, bytes = 0;
  for (const character of text) {
    if (bytes >= nBytes) break;
    bytes += utf8Length(character);
    units += character.length;
  }
  return units;
}
