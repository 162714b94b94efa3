// Token colours: numbers from 0 to 3, such that neighbours differ and what stays keeps its own.

import { countCommonEnds } from "./common_ends.js";

export const N_COLORS = 4;

/** A colour that differs from both neighbours; -1 is none. @param {number} previous @param {number} [after] */
export function colorBetween(previous, after = -1) {
  const color = (previous + 1) % N_COLORS;
  return color === after ? (color + 1) % N_COLORS : color;
}

/** The colour of an id wherever it stands. @param {number} id */
export const colorOfId = (id) => (Math.imul(id, 2654435761) >>> 8) % N_COLORS;

/** The next colour that none of these has; with more of them than colours the next one. @param {number[]} used */
export function firstFree(used) {
  for (let step = 1; step <= N_COLORS; step++) {
    const color = (used[0] + step) % N_COLORS;
    if (!used.includes(color)) return color;
  }
  return (used[0] + 1) % N_COLORS;
}

/**
 * Fill in colours that are still open (-1) so that neighbours differ; `before` and `after` are those around.
 * @param {number[]} colors
 * @param {number} before
 * @param {number} after
 */
export function fillColors(colors, before, after) {
  let previous = before;
  return colors.map((color, k) => {
    const next = k + 1 < colors.length ? colors[k + 1] : after;
    return (previous = color === -1 ? colorBetween(previous, next) : color);
  });
}

/**
 * The colours of what stands at both ends of an edit; the middle is open (-1).
 * @template T
 * @param {T[]} old
 * @param {number[]} oldColors
 * @param {T[]} now
 * @param {(one: T, other: T) => boolean} isSame
 */
export function keepColors(old, oldColors, now, isSame) {
  const [nHead, nTail] = countCommonEnds(old, now, isSame);
  return now.map((_, k) => {
    if (k < nHead) return oldColors[k];
    return k >= now.length - nTail ? oldColors[old.length - now.length + k] : -1;
  });
}
