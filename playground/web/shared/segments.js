// Groups tokens into segments of whole characters, and marks text that the tokens don't spell
// (`analysis/token_marks.py`).

import { utf8Length, validUntil } from "./unicode.js";
import { byteLabel } from "./wording.js";

/**
 * The shortest run of tokens that spells whole characters: `first` to `last`, half-open, and its text. A byte outside
 * any character is written as ⟨E2⟩.
 * @typedef {{text: string, first: number, last: number, nBytes: number}} Segment
 */

/** @typedef {string | Uint8Array<ArrayBuffer>} Source a text, or bytes that need not be UTF-8 */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** @param {string} text */
const isPlainAscii = (text) => /^[\t\n\x20-\x7e]*$/.test(text);

/**
 * Yield the graphemes of a text: [text, number of bytes].
 * @param {string} text
 * @returns {Generator<[string, number]>}
 */
function* iterCharacters(text) {
  if (isPlainAscii(text)) {
    for (let i = 0; i < text.length; i++) yield [text[i], 1];
    return;
  }
  for (const { segment } of graphemes.segment(text)) yield [segment, utf8Length(segment)];
}

/**
 * Yield the graphemes of bytes that may be invalid UTF-8.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Generator<[string, number]>}
 */
function* iterBytes(bytes) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let start = 0;
  while (start < bytes.length) {
    const end = validUntil(bytes, start);
    if (end > start) yield* iterCharacters(decoder.decode(bytes.subarray(start, end)));
    if (end < bytes.length) yield [byteLabel(bytes[end]), 1];
    start = end + 1;
  }
}

/**
 * Group tokens of these byte lengths into segments, in linear time.
 * @param {Source} source
 * @param {ArrayLike<number>} lengths
 * @returns {Segment[]}
 */
export function makeSegments(source, lengths) {
  const characters = typeof source === "string" ? iterCharacters(source) : iterBytes(source);
  const segments = [];
  let text = "", charEnd = 0, tokenEnd = 0, first = 0, start = 0;
  for (let token = 0; token < lengths.length; token++) {
    tokenEnd += lengths[token];
    while (charEnd < tokenEnd) {
      const { value, done } = characters.next();
      if (done) break;
      text += value[0];
      charEnd += value[1];
    }
    if (charEnd === tokenEnd || token === lengths.length - 1) {
      segments.push({ text, first, last: token + 1, nBytes: tokenEnd - start });
      text = "";
      first = token + 1;
      start = tokenEnd;
    }
  }
  return segments;
}

/**
 * Return the bytes of each token of a segment; `bytes` are those of all tokens.
 * @param {Uint8Array} bytes
 * @param {ArrayLike<number>} lengths
 * @param {Segment} segment
 */
export function bytesOfTokens(bytes, lengths, { first, last }) {
  let offset = 0;
  for (let token = 0; token < first; token++) offset += lengths[token];
  const parts = [];
  for (let token = first; token < last; token++) parts.push(bytes.subarray(offset, (offset += lengths[token])));
  return parts;
}

/** The marks of tokens that spell their text exactly. */
export const NO_MARKS = new Uint32Array();

/** How a token differs from its source text. */
export const MARK = { asTyped: 0, changed: 1, inserted: 2 };

/** The number of bytes dropped before the first token. @param {Uint32Array} marks */
export const droppedBefore = (marks) => marks[0] ?? 0;

/** The number of bytes dropped after a token. @param {Uint32Array} marks @param {number} token */
export const droppedBehind = (marks, token) => (marks.length ? marks[token + 1] >> 2 : 0);

/** @param {Uint32Array} marks @param {number} token */
export const markOf = (marks, token) => (marks.length ? marks[token + 1] & 3 : MARK.asTyped);

/** Return the marks of some of the tokens; empty if they spell their text. @param {Uint32Array} marks @param {number} first @param {number} last */
export function sliceMarks(marks, first, last) {
  if (!marks.length) return marks;
  const own = marks.slice(first, last + 1);
  if (first > 0) own[0] = 0; // these bytes belong to the previous token
  return own;
}

/**
 * Split a segment's text into the part dropped before it, the part its tokens represent, and the part dropped after
 * it. A dropped combining mark stays with its letter, which is then marked as changed.
 * @param {Segment} segment
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

/** The kinds of marks in a text. @typedef {{isDropped: boolean, isChanged: boolean, isInserted: boolean}} MarkKinds */

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

/** The number of UTF-16 units in the first bytes of a text. @param {string} text @param {number} nBytes */
function unitsOf(text, nBytes) {
  let units = 0, bytes = 0;
  for (const character of text) {
    if (bytes >= nBytes) break;
    bytes += utf8Length(character);
    units += character.length;
  }
  return units;
}
