// Blocks of tokens, which the pane fills one at a time when they come near the view, and positions of tokens in the
// text.

import { bytesOfTokens, droppedBefore, droppedBehind, makeSegments, NO_MARKS, sliceMarks } from "../shared/segments.js";
import { fillColors } from "../shared/token_strip.js";
import { utf8Length } from "../shared/unicode.js";
import { hex, shorten } from "../shared/wording.js";

/** @typedef {import("../shared/segments.js").Segment} Segment */
/** @typedef {import("../shared/segments.js").Source} Source */

/** A segment of a block. @typedef {{block: Block, k: number}} Spot */

/** A piece with more tokens is divided into several blocks. */
const BLOCK_TOKENS = 1200;

export class Block {
  /** @param {Source} source @param {Uint32Array} ids @param {Uint32Array} lengths in bytes @param {Uint32Array} [marks] what the tokens do not spell */
  constructor(source, ids, lengths, marks = NO_MARKS) {
    this.source = source;
    this.ids = ids;
    this.lengths = lengths;
    this.marks = marks;
    /** @type {Block | null} */
    this.previous = null;
    /** @type {Block | null} */
    this.next = null;
    /** @type {Segment[] | null} */
    this.madeSegments = null;
    /** @type {number[] | null} a colour for each segment, once it has been seen */
    this.colors = null;
    /** @type {Uint8Array | null} */
    this.madeBytes = null;
  }

  get segments() {
    return (this.madeSegments ??= makeSegments(this.source, this.lengths));
  }

  get bytes() {
    return (this.madeBytes ??= typeof this.source === "string" ? new TextEncoder().encode(this.source) : this.source);
  }

  get hasLineEnd() {
    return typeof this.source === "string" ? this.source.includes("\n") : this.source.includes(10);
  }

  get endsLine() {
    return typeof this.source === "string" ? this.source.endsWith("\n") : this.source.at(-1) === 10;
  }

  /** Whether the first segment is at the start of a line. */
  get startsLine() {
    return !this.previous || this.previous.endsLine;
  }

  /** The index of the first token in the whole text. */
  get firstToken() {
    let n = 0;
    for (let block = this.previous; block; block = block.previous) n += block.ids.length;
    return n;
  }

  /** The number of tokens up to the first line end; all if there is none. */
  get nHead() {
    const end = this.hasLineEnd ? this.segments.find((segment) => segment.text.includes("\n")) : undefined;
    return end ? end.last : this.ids.length;
  }

  /** The number of tokens from a segment to the end of its line, which may be in a later block. @param {number} k */
  tokensOfLine(k) {
    const end = this.segments.findIndex((segment, i) => i >= k && segment.text.includes("\n"));
    if (end >= 0) return this.segments[end].last - this.segments[k].first;
    let n = this.ids.length - this.segments[k].first;
    for (let block = this.next; block; block = block.next) {
      n += block.nHead;
      if (block.hasLineEnd) break;
    }
    return n;
  }

  /** @param {number} k */
  idsOf(k) {
    return this.ids.subarray(this.segments[k].first, this.segments[k].last);
  }

  /** The bytes of each token of a segment. @param {number} k */
  bytesOf(k) {
    const { first } = this.segments[k];
    return bytesOfTokens(this.bytes, this.lengths, this.segments[k]).map((bytes, i) => {
      const nBefore = first + i === 0 ? droppedBefore(this.marks) : 0;
      return bytes.subarray(nBefore, bytes.length - droppedBehind(this.marks, first + i));
    });
  }

  /** Choose missing colours, which are -1 in `colors`, so that neighbours differ, also across blocks. @param {number[]} [colors] @param {number} [after] */
  color(colors = this.segments.map(() => -1), after = this.next?.colors?.[0] ?? -1) {
    this.colors = fillColors(colors, this.previous?.colors?.at(-1) ?? -1, after);
  }
}

/**
 * The blocks of a piece, each of whole segments; a block ends at a line feed if one is near.
 * @param {{nTokens: number, ids: Uint32Array, lengths: Uint32Array, marks?: Uint32Array}} piece
 * @param {Source} source
 */
export function cutBlocks({ nTokens, ids, lengths, marks = NO_MARKS }, source) {
  if (nTokens <= BLOCK_TOKENS) return [new Block(source, ids, lengths, marks)];
  const blocks = [], segments = makeSegments(source, lengths);
  let first = 0, text = "", bytes = 0, firstByte = 0;
  for (const segment of segments) {
    text += segment.text;
    bytes += segment.nBytes;
    const n = segment.last - first;
    const isFull = n >= BLOCK_TOKENS || (n >= BLOCK_TOKENS / 2 && segment.text.endsWith("\n"));
    if (!isFull && segment.last < nTokens) continue;
    const part = typeof source === "string" ? text : source.subarray(firstByte, bytes);
    const own = sliceMarks(marks, first, segment.last);
    blocks.push(new Block(part, ids.subarray(first, segment.last), lengths.subarray(first, segment.last), own));
    first = segment.last;
    firstByte = bytes;
    text = "";
  }
  return blocks;
}

/** Link each block with its neighbours. @param {Iterable<Block>} blocks */
export function linkBlocks(blocks) {
  /** @type {Block | null} */
  let previous = null;
  for (const block of blocks) {
    block.previous = previous;
    block.next = null;
    if (previous) previous.next = block;
    previous = block;
  }
}

// ---- spots

/** @param {Spot} spot */
export const firstTokenOf = ({ block, k }) => block.firstToken + block.segments[k].first;

/** The first segment of a block. @param {Block | undefined} block @returns {Spot | null} */
export const startOf = (block) => (block?.ids.length ? { block, k: 0 } : null);

/** The last segment of a block. @param {Block | undefined} block @returns {Spot | null} */
export const endOf = (block) => (block?.ids.length ? { block, k: block.segments.length - 1 } : null);

/** The segment of the token with this index. @param {Iterable<Block>} blocks @param {number} index @returns {Spot | null} */
export function spotOf(blocks, index) {
  let first = 0;
  for (const block of blocks) {
    const inside = index - first;
    if (inside < block.ids.length) return { block, k: block.segments.findIndex(({ last }) => inside < last) };
    first += block.ids.length;
  }
  return null;
}

/** The previous or next segment; null at the ends. @param {Spot} spot @param {1 | -1} by @returns {Spot | null} */
export function stepSpot({ block, k }, by) {
  if (block.segments[k + by]) return { block, k: k + by };
  const other = by > 0 ? block.next : block.previous;
  return by > 0 ? startOf(other ?? undefined) : endOf(other ?? undefined);
}

/** The number of segments searched for a line. */
const MAX_LINE_SPOTS = 500;

/**
 * The nearest segment on the line above or below, as drawn.
 * @param {Spot} from
 * @param {1 | -1} by
 * @param {(spot: Spot) => {top: number, left: number, height: number} | undefined} boxOf
 * @returns {Spot | null}
 */
export function stepLine(from, by, boxOf) {
  const start = boxOf(from);
  if (!start) return null;
  /** @type {Spot | null} */
  let best = null;
  let bestDistance = Infinity, lineTop = NaN;
  for (let spot = stepSpot(from, by), n = 0; spot && n < MAX_LINE_SPOTS; spot = stepSpot(spot, by), n++) {
    const box = boxOf(spot);
    if (!box || Math.abs(box.top - start.top) < start.height / 2) continue;
    if (Number.isNaN(lineTop)) lineTop = box.top;
    if (Math.abs(box.top - lineTop) > start.height / 2) break;
    const distance = Math.abs(box.left - start.left);
    if (distance < bestDistance) [best, bestDistance] = [spot, distance];
  }
  return best;
}

/** A segment in words: ids, text and bytes. @param {Spot} spot */
export function describeSpot({ block, k }) {
  const ids = Array.from(block.idsOf(k)), bytes = block.bytesOf(k);
  const text = JSON.stringify(shorten(block.segments[k].text, 40));
  if (ids.length === 1) return `${ids[0]}  ${text}  ${hex(bytes[0].subarray(0, 16))}${bytes[0].length > 16 ? " …" : ""}`;
  const parts = ids.slice(0, 12).map((id, i) => `${id} (${hex(bytes[i])})`);
  return `${text} is ${ids.length} tokens: ${parts.join(", ")}${ids.length > 12 ? ", …" : ""}`;
}

/** A half-open range of tokens by index in the whole text. @typedef {{first: number, last: number}} TokenRange */
/** A half-open range of the text. @typedef {{from: number, to: number}} Stretch */

/** Yield blocks with the index of their first token and the position of their text. @param {Iterable<Block>} blocks @returns {Generator<{block: Block, token: number, start: number, end: number}>} */
function* iterPlaced(blocks) {
  let token = 0, start = 0;
  for (const block of blocks) {
    const end = start + block.source.length;
    yield { block, token, start, end };
    token += block.ids.length;
    start = end;
  }
}

/** The segment at or before a caret; at the very start the first. @param {Iterable<Block>} blocks @param {number} offset @returns {Spot | null} */
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

/** The range of text of a segment. @param {Iterable<Block>} blocks @param {Spot} spot @returns {Stretch | null} */
export function stretchOf(blocks, spot) {
  for (const { block, start } of iterPlaced(blocks)) {
    if (block !== spot.block) continue;
    let from = start;
    for (let k = 0; k < spot.k; k++) from += block.segments[k].text.length;
    return { from, to: from + block.segments[spot.k].text.length };
  }
  return null;
}

/** The tokens with a byte in a range of text. Only the blocks at its ends are searched. @param {Iterable<Block>} blocks @param {Stretch} stretch @returns {TokenRange | null} */
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

/** The tokens of one block with a byte in a range of its text. @param {Block} block @param {Stretch} stretch within the block's text @returns {TokenRange} */
function touchedTokens(block, { from, to }) {
  let first = Infinity, last = -Infinity, end = 0;
  for (const segment of block.segments) {
    const start = end;
    end += segment.text.length;
    if (end <= from) continue;
    if (start >= to) break;
    // Of a segment with several tokens, those whose bytes overlap.
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
