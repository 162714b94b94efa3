// Frames of the film: which tokens a text has after k merges, as segments.

import { makeSegments } from "../shared/segments.js";
import { colorBetween } from "../shared/token_strip.js";

/**
 * All tokens that a text ever has, as columns: where one starts and ends in bytes, the merge at which it is made and
 * the one at which it is gone (-1: never). See `server/train/film.py`.
 * @typedef {import("../shared/wire_types.d.ts").TokenColumns} Tokens
 */

/** @typedef {{text: string, color: number, ids: number[], isNew: boolean, isPair: boolean}} Shown a segment of a frame */

/**
 * Places of the tokens after k merges, in the order of the text.
 * @param {Tokens} tokens
 * @param {number} k
 */
export function visibleTokens({ start, made, gone }, k) {
  const places = [];
  for (let i = 0; i < made.length; i++) if (made[i] <= k && (gone[i] < 0 || gone[i] > k)) places.push(i);
  return places.toSorted((a, b) => start[a] - start[b]);
}

/**
 * The text after k merges; `pair` are two ids that are marked where they stand side by side, `nPairs` how often.
 * @param {string} text
 * @param {Tokens} tokens
 * @param {number} k
 * @param {[number, number] | null} pair
 * @returns {{segments: Shown[], nTokens: number, nPairs: number}}
 */
export function textFrame(text, tokens, k, pair) {
  const places = visibleTokens(tokens, k);
  const isLeft = places.map((at, i) => pair !== null && tokens.id[at] === pair[0] && tokens.id[places[i + 1]] === pair[1]);
  let last = -1;
  const segments = makeSegments(text, places.map((at) => tokens.end[at] - tokens.start[at])).map(({ text: shown, first, last: end }) => {
    const group = places.slice(first, end), color = tokens.color[group[0]];
    last = color === last ? colorBetween(last) : color;
    return {
      text: shown,
      color: last,
      ids: group.map((at) => tokens.id[at]),
      isNew: k > 0 && group.some((at) => tokens.made[at] === k),
      isPair: isLeft.slice(Math.max(first - 1, 0), end).some(Boolean),
    };
  });
  return { segments, nTokens: places.length, nPairs: isLeft.filter(Boolean).length };
}
