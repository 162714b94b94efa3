// Places: where tokens stand in the text that they are of, in UTF-16 units, and which ones a stretch of it touches.

import { utf8Length } from "../shared/utf8.js";

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("./blocks.js").Spot} Spot */

/** Tokens by their index in the whole text, half-open. @typedef {{first: number, last: number}} TokenRange */
/** A stretch of the text, half-open. @typedef {{from: number, to: number}} Stretch */

/** Blocks with the index of their first token and the place of their text. @param {Iterable<Block>} blocks @returns {Generator<{block: Block, token: number, start: number, end: number}>} */
function* iterPlaced(blocks) {
  let token = 0, start = 0;
  for (const block of blocks) {
    const end = start + block.source.length;
    yield { block, token, start, end };
    token += block.ids.length;
    start = end;
  }
}

/** The segment that a caret stands in or behind; at the very start the first. @param {Iterable<Block>} blocks @param {number} offset @returns {Spot | null} */
export function spotAtCaret(blocks, offset) {
  const at = Math.max(offset, 1);
  for (const { block, start, end } of iterPlaced(blocks)) {
    if (at > end) continue;
    let segmentEnd = start;
    const k = block.segments.findIndex(({ text }) => (segmentEnd += text.length) >= at);
    return k < 0 ? null : { block, k };
  }
  return null;
}

/** The text of a segment, as a stretch. @param {Iterable<Block>} blocks @param {Spot} spot @returns {Stretch | null} */
export function stretchOf(blocks, spot) {
  for (const { block, start } of iterPlaced(blocks)) {
    if (block !== spot.block) continue;
    let from = start;
    for (let k = 0; k < spot.k; k++) from += block.segments[k].text.length;
    return { from, to: from + block.segments[spot.k].text.length };
  }
  return null;
}

/** The tokens that hold a byte of a stretch; only the blocks at its ends are looked into. @param {Iterable<Block>} blocks @param {Stretch} stretch @returns {TokenRange | null} */
export function tokensIn(blocks, { from, to }) {
  let first = Infinity, last = -Infinity;
  for (const { block, token, start, end } of iterPlaced(blocks)) {
    if (end <= from || from >= to) continue;
    if (start >= to) break;
    const isWhole = from <= start && end <= to;
    const touched = isWhole ? { first: 0, last: block.ids.length } : touchedTokens(block, { from: from - start, to: to - start });
    first = Math.min(first, token + touched.first);
    last = Math.max(last, token + touched.last);
  }
  return first < last ? { first, last } : null;
}

/** The same in one block. @param {Block} block @param {Stretch} stretch of its text @returns {TokenRange} */
function touchedTokens(block, { from, to }) {
  let first = Infinity, last = -Infinity, end = 0;
  for (const segment of block.segments) {
    const start = end;
    end += segment.text.length;
    if (end <= from) continue;
    if (start >= to) break;
    // A segment of several tokens: those whose bytes are touched.
    const fromByte = utf8Length(segment.text.slice(0, Math.max(from - start, 0)));
    const toByte = to >= end ? segment.nBytes : utf8Length(segment.text.slice(0, to - start));
    for (let token = segment.first, byte = 0; token < segment.last; byte += block.lengths[token++]) {
      if (byte >= toByte || byte + block.lengths[token] <= fromByte) continue;
      first = Math.min(first, token);
      last = Math.max(last, token + 1);
    }
  }
  return { first, last };
}
