// Sequence diff: what two sequences of numbers share, in order; its work is bounded whatever they are.

/** A stretch of both that is the same: it begins at `old` and at `now`. @typedef {{old: number, now: number, length: number}} Match */

/** Longer middles are first divided at numbers that both have once. */
const DIVIDED = 2_000;
/** So many differences are looked for in one middle; beyond, it counts as replaced. */
const MAX_EDITS = 800;
/** Steps of all middles together, about 20 ms. */
const MAX_STEPS = 3_000_000;

/**
 * The stretches that stay, in order. `isLeast`: no fewer numbers could be removed and added; else parts that differ
 * too much were not looked into. `nSteps` is the work done.
 * @param {ArrayLike<number>} old
 * @param {ArrayLike<number>} now
 */
export function matchSequences(old, now) {
  /** @type {Match[]} */
  const found = [];
  const state = { isLeast: true, nSteps: 0 };
  matchPart(old, now, { old: 0, oldEnd: old.length, now: 0, nowEnd: now.length }, found, state);
  return { matches: joinMatches(found), ...state };
}

/** @typedef {{old: number, oldEnd: number, now: number, nowEnd: number}} Part */

/** @param {ArrayLike<number>} old @param {ArrayLike<number>} now @param {Part} part @param {Match[]} found in order @param {{isLeast: boolean, nSteps: number}} state */
function matchPart(old, now, part, found, state) {
  let { old: a, oldEnd, now: b, nowEnd } = part;
  const head = { old: a, now: b, length: 0 };
  while (a < oldEnd && b < nowEnd && old[a] === now[b]) [a, b, head.length] = [a + 1, b + 1, head.length + 1];
  let tail = 0;
  while (a < oldEnd && b < nowEnd && old[oldEnd - 1] === now[nowEnd - 1]) [oldEnd, nowEnd, tail] = [oldEnd - 1, nowEnd - 1, tail + 1];
  state.nSteps += head.length + tail;
  if (head.length) found.push(head);
  if (a < oldEnd && b < nowEnd) {
    const middle = { old: a, oldEnd, now: b, nowEnd }, isLong = oldEnd - a + nowEnd - b > DIVIDED;
    const anchors = isLong ? findAnchors(old, now, middle, state) : [];
    if (anchors.length) {
      state.isLeast = false;
      for (const end of [...anchors, { old: oldEnd, now: nowEnd, length: 0 }]) {
        matchPart(old, now, { old: a, oldEnd: end.old, now: b, nowEnd: end.now }, found, state);
        if (end.length) found.push(end);
        [a, b] = [end.old + end.length, end.now + end.length];
      }
    } else matchMiddle(old, now, middle, found, state);
  }
  if (tail) found.push({ old: oldEnd, now: nowEnd, length: tail });
}

/** Numbers that both have exactly once, as long a row of them as stands in the same order in both. @param {ArrayLike<number>} old @param {ArrayLike<number>} now @param {Part} part @param {{nSteps: number}} state @returns {Match[]} */
function findAnchors(old, now, part, state) {
  /** @type {Map<number, {old: number, now: number}>} where each number stands; -1 never, -2 more than once */
  const places = new Map();
  for (let i = part.old; i < part.oldEnd; i++) places.set(old[i], { old: places.has(old[i]) ? -2 : i, now: -1 });
  for (let i = part.now; i < part.nowEnd; i++) {
    const place = places.get(now[i]);
    if (place) place.now = place.now === -1 ? i : -2;
  }
  state.nSteps += part.oldEnd - part.old + part.nowEnd - part.now;
  const unique = [...places.values()].filter((place) => place.old >= 0 && place.now >= 0).toSorted((one, other) => one.old - other.old);
  // The longest rising row of places: patience sorting.
  /** @type {number[]} the last card of each pile */
  const piles = [];
  const before = unique.map((place, i) => {
    let low = 0, high = piles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (unique[piles[middle]].now < place.now) low = middle + 1;
      else high = middle;
    }
    piles[low] = i;
    return low ? piles[low - 1] : -1;
  });
  const row = [];
  for (let i = piles.at(-1) ?? -1; i >= 0; i = before[i]) row.push({ ...unique[i], length: 1 });
  return row.toReversed();
}

/** The least edits of a middle, as Myers finds them (1986); none of it stays where they are too many. @param {ArrayLike<number>} old @param {ArrayLike<number>} now @param {Part} part @param {Match[]} found @param {{isLeast: boolean, nSteps: number}} state */
function matchMiddle(old, now, part, found, state) {
  const n = part.oldEnd - part.old, m = part.nowEnd - part.now, most = Math.min(n + m, MAX_EDITS);
  /** @type {Int32Array[]} the furthest places for each number of edits */
  const rounds = [];
  const reached = new Int32Array(2 * most + 3);
  for (let edits = 0; edits <= most; edits++) {
    if (state.nSteps > MAX_STEPS) break;
    rounds.push(reached.slice(most - edits, most + edits + 3));
    for (let k = -edits; k <= edits; k += 2) {
      const at = most + 1 + k;
      let x = k === -edits || (k !== edits && reached[at - 1] < reached[at + 1]) ? reached[at + 1] : reached[at - 1] + 1;
      for (state.nSteps++; x < n && x - k < m && old[part.old + x] === now[part.now + x - k]; x++) state.nSteps++;
      reached[at] = x;
      if (x >= n && x - k >= m) return void found.push(...walkBack(rounds, k, n).map((match) => ({ ...match, old: match.old + part.old, now: match.now + part.now })));
    }
  }
  state.isLeast = false;
}

/** The way that led to the end. @param {Int32Array[]} rounds what was reached before each number of edits @param {number} k @param {number} n @returns {Match[]} */
function walkBack(rounds, k, n) {
  const matches = [];
  let x = n;
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const reached = (/** @type {number} */ of) => rounds[edits][edits + 1 + of];
    const isDown = k === -edits || (k !== edits && reached(k - 1) < reached(k + 1));
    const start = isDown ? reached(k + 1) : reached(k - 1) + 1;
    if (x > start) matches.push({ old: start, now: start - k, length: x - start });
    if (edits === 0) break;
    k += isDown ? 1 : -1;
    x = reached(k);
  }
  return matches.toReversed();
}

/** Matches that touch are one. @param {Match[]} matches */
function joinMatches(matches) {
  /** @type {Match[]} */
  const joined = [];
  for (const match of matches) {
    const last = joined.at(-1);
    if (last && last.old + last.length === match.old && last.now + last.length === match.now) last.length += match.length;
    else joined.push({ ...match });
  }
  return joined;
}
