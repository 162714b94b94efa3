// Segments: tokens grouped so that each group is whole characters.

import { byteLabel } from "./shown_text.js";
import { utf8Length, validUntil } from "./utf8.js";

/**
 * The shortest run of tokens that is whole characters: `first` to `last`, half-open, and its text. A byte that
 * belongs to no character is spelled as ⟨E2⟩.
 * @typedef {{text: string, first: number, last: number, nBytes: number}} Segment
 */

/** @typedef {string | Uint8Array<ArrayBuffer>} Source a text, or bytes that need not be UTF-8 */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** @param {string} text */
const isPlainAscii = (text) => /^[\t\n\x20-\x7e]*$/.test(text);

/**
 * The characters of a text as a reader sees them: [text, number of bytes].
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
 * The same for bytes that may not be UTF-8.
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
 * The bytes of each token of a segment; `bytes` are those of all tokens.
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
