// Bits in words and colours: how likely a token was.

import { count } from "../shared/wording.js";

/** Below this a token has no colour; from `FULL` on it has the strongest. */
const FAINT = 0.3, FULL = 14;
/** Bits of a token that was all but certain: a probability of over 93 %. */
export const NEARLY_CERTAIN = 0.1;

/** The share of the strongest colour, from 0 to 1. @param {number} bits */
export const shadeOf = (bits) => (bits < FAINT ? 0 : Math.min(bits / FULL, 1));

/** Bits with at most one decimal: quantized weights make a tenth of a bit uncertain. @param {number} bits */
export const shownBits = (bits) => (bits < 99.95 ? bits.toFixed(1) : count(Math.round(bits)));

/**
 * How likely a token was: "1 in 10". Large numbers have three digits that count and are marked.
 * @param {number} bits
 */
export function oddsOf(bits) {
  const n = 2 ** bits;
  if (n < 1.05) return "all but certain";
  if (n < 9.95) return `1 in ${n.toFixed(1)}`;
  return n < 999.5 ? `≈ 1 in ${Math.round(n)}` : `≈ 1 in ${count(Number(n.toPrecision(3)))}`;
}

/** A probability in percent. @param {number} chance from 0 to 1 */
export function percent(chance) {
  if (chance < 0.001) return "< 0.1 %";
  return chance < 0.9995 ? `${(100 * chance).toFixed(1)} %` : "> 99.9 %";
}

/** "first choice", "2nd choice". @param {number} rank from 1 */
export function choiceOf(rank) {
  if (rank === 1) return "first choice";
  const teen = rank % 100 > 10 && rank % 100 < 14, ending = (!teen && ["th", "st", "nd", "rd"][rank % 10]) || "th";
  return `${count(rank)}${ending} choice`;
}

/**
 * Places of cuts after an edit of the text: those inside the replaced part are gone.
 * @param {number[]} cuts in UTF-16 units, ascending
 * @param {[start: number, nDeleted: number, inserted: string]} edit
 */
export function movedCuts(cuts, [start, nDeleted, inserted]) {
  const moved = inserted.length - nDeleted;
  return cuts.flatMap((cut) => (cut <= start ? [cut] : cut >= start + nDeleted ? [cut + moved] : []));
}

/** The parts of a text between cuts. @param {string} text @param {number[]} cuts ascending */
export function partsOf(text, cuts) {
  const ends = [...cuts.filter((cut) => cut > 0 && cut < text.length), text.length];
  return ends.map((end, i) => text.slice(i ? ends[i - 1] : 0, end)).filter(Boolean);
}
