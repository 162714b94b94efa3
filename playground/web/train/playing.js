// How the browser plays a run: which step is shown when, and the tokens of a short text after each step.

import { N_COLORS } from "../shared/token_strip.js";

/** @typedef {import("./run_log.js").RunLog} RunLog */
/** @typedef {import("../shared/wire_types.d.ts").RunCut} RunCut */
/**
 * All tokens that a text ever has, as columns: start and end in bytes, id, the step that makes each token, and the
 * step that replaces it (-1: none).
 * @typedef {{start: number[], end: number[], id: number[], made: number[], gone: number[], color: number[]}} Tokens
 */

// ---- pace

/** Steps a second by their names; null for two a second at first, then more and more. @type {Record<string, number | null>} */
export const SPEEDS = { "slow, then faster": null, "1 a second": 1, "5 a second": 5, "25 a second": 25, "100 a second": 100, "400 a second": 400, "full speed": Infinity };
/** @typedef {keyof typeof SPEEDS} Speed */

/** The steps that "slow, then faster" has shown after some seconds: two a second for the first twenty, then more and more. @param {number} seconds */
export const stepsAfter = (seconds) => Math.floor(seconds < 10 ? 2 * seconds : 16 + 4 * Math.exp((seconds - 10) / 2));

/** The seconds after which it has shown k steps: the inverse of `stepsAfter`. @param {number} k */
export const secondsFor = (k) => (k < 20 ? k / 2 : 10 + 2 * Math.log((k - 16) / 4));

/** The step that is shown some seconds after step `from`. @param {Speed} speed @param {number} from @param {number} seconds */
export function stepAfter(speed, from, seconds) {
  const perSecond = SPEEDS[speed];
  if (perSecond === null) return stepsAfter(secondsFor(from) + seconds);
  return seconds > 0 ? from + Math.floor(perSecond * seconds) : from;
}

// ---- the tokens of a text

/** Ids are lower than this, so a pair of ids is one number. */
const MAX_ID = 2 ** 26;

/** The tokens of a text by a run; `follow` adds the steps that have come since the last call. */
export class TextFilm {
  /** @param {RunCut} cut */
  constructor({ follows, states }) {
    /** @type {Tokens} */
    this.tokens = { start: [], end: [], id: [], made: [], gone: [], color: [] };
    /** @type {number[]} the neighbours of each token in its pretoken; -1: none */
    this.before = [];
    /** @type {number[]} */
    this.after = [];
    /** @type {Map<number, number[]>} left tokens of pairs by their ids, and tokens by their id; some may be gone */
    this.pairs = new Map();
    /** @type {Map<number, number[]>} */
    this.withId = new Map();
    this.nChanges = 0;
    this.isMerging = follows === "merges";
    let begin = 0;
    states[0]?.forEach(([ids, sizes], nth) => {
      if (follows === "merges") this.lay(ids, sizes, begin, 0);
      else if (follows === "rows") this.layRows(ids, states[1][nth][0], sizes, begin);
      else this.layStates(states.map((state) => state[nth]), begin);
      begin += sizes.reduce((sum, size) => sum + size, 0);
    });
  }

  /** @param {number} start @param {number} end @param {number} id @param {number} made @param {number} [color] */
  add(start, end, id, made, color) {
    const { tokens } = this, place = tokens.id.length;
    tokens.start.push(start);
    tokens.end.push(end);
    tokens.id.push(id);
    tokens.made.push(made);
    tokens.gone.push(-1);
    tokens.color.push(color ?? place % N_COLORS);
    this.before.push(-1);
    this.after.push(-1);
    return place;
  }

  /** Lay tokens side by side, and return them. @param {number[]} ids @param {number[]} sizes @param {number} begin @param {number} step */
  lay(ids, sizes, begin, step) {
    let start = begin;
    const places = ids.map((id, i) => this.add(start, (start += sizes[i]), id, step));
    places.forEach((place, i) => i && this.link(places[i - 1], place));
    for (const place of places) listed(this.withId, this.tokens.id[place]).push(place);
    return places;
  }

  /** @param {number} left @param {number} right */
  link(left, right) {
    const { id } = this.tokens;
    if (left >= 0) this.after[left] = right;
    if (right >= 0) this.before[right] = left;
    if (left >= 0 && right >= 0) listed(this.pairs, id[left] * MAX_ID + id[right]).push(left);
  }

  /** A row of a table is its token from the step on that adds it. @param {number[]} first @param {number[]} last @param {number[]} sizes @param {number} begin */
  layRows(first, last, sizes, begin) {
    let start = begin;
    last.forEach((id, i) => {
      const end = start + sizes[i], place = this.add(start, end, first[i], 0);
      if (id >= 0) {
        this.tokens.gone[place] = id + 1;
        this.add(start, end, id, id + 1, this.tokens.color[place]);
      }
      start = end;
    });
  }

  /** Lay a pretoken after each step; a token that stays as it is keeps its colour. @param {[ids: number[], sizes: number[]][]} states @param {number} begin */
  layStates(states, begin) {
    const { gone } = this.tokens;
    /** @type {Map<string, number>} */
    let now = new Map();
    states.forEach(([ids, sizes], step) => {
      /** @type {Map<string, number>} */
      const next = new Map();
      let start = begin;
      ids.forEach((id, i) => {
        const end = start + sizes[i], key = `${start} ${end} ${id}`;
        next.set(key, now.get(key) ?? this.add(start, end, id, step));
        start = end;
      });
      for (const [key, place] of now) if (!next.has(key)) gone[place] = step;
      now = next;
    });
  }

  /** Apply the changes that have come since the last call, in their order. @param {RunLog} log */
  follow(log) {
    for (; this.isMerging && this.nChanges < log.changes.length; this.nChanges++) {
      const { step, isRemoval, id, parts } = log.changes[this.nChanges];
      if (isRemoval) for (const place of this.withId.get(id) ?? []) this.divide(place, parts, step, log);
      else if (parts.length === 2) this.merge(parts[0], parts[1], id, step);
    }
  }

  /** Merge a pair wherever it is, from left to right. @param {number} left @param {number} right @param {number} id @param {number} step */
  merge(left, right, id, step) {
    const { tokens, after, before } = this, key = left * MAX_ID + right, places = this.pairs.get(key);
    if (!places) return;
    this.pairs.delete(key);
    for (const first of places.toSorted((a, b) => tokens.start[a] - tokens.start[b])) {
      const second = after[first];
      if (tokens.gone[first] >= 0 || second < 0 || tokens.id[second] !== right) continue;
      tokens.gone[first] = tokens.gone[second] = step;
      const made = this.add(tokens.start[first], tokens.end[second], id, step, tokens.color[first]);
      listed(this.withId, id).push(made);
      this.link(before[first], made);
      this.link(made, after[second]);
    }
  }

  /** Divide a token into its parts. @param {number} place @param {number[]} parts @param {number} step @param {RunLog} log */
  divide(place, parts, step, log) {
    const { tokens, before, after } = this;
    if (tokens.gone[place] >= 0) return;
    tokens.gone[place] = step;
    const made = this.lay(parts, parts.map((part) => log.size(part)), tokens.start[place], step);
    this.link(before[place], made[0]);
    this.link(made[made.length - 1], after[place]);
  }
}

/** @param {Map<number, number[]>} map @param {number} key */
function listed(map, key) {
  const found = map.get(key);
  if (found) return found;
  /** @type {number[]} */
  const made = [];
  map.set(key, made);
  return made;
}

/**
 * Indices of the tokens that exist after k steps, in the order of the text.
 * @param {Tokens} tokens
 * @param {number} k
 */
export function visibleTokens({ start, made, gone }, k) {
  const places = [];
  for (let i = 0; i < made.length; i++) if (made[i] <= k && (gone[i] < 0 || gone[i] > k)) places.push(i);
  return places.toSorted((a, b) => start[a] - start[b]);
}

// ---- runs side by side

/** @typedef {{n: number, last: number}} Extent the steps of a run so far, and in all */

/**
 * The step that a run shows while the longest of the runs shows its step `k`: each shows the same share of its steps.
 * A vocabulary that grows and one that shrinks have no size in common but the last, so they can't share a size.
 * @param {Extent} run @param {number} k @param {Extent[]} runs
 */
export function stepAt({ n, last }, k, runs) {
  return k >= newestOf(runs) ? n : Math.min(n, Math.floor((k / longestOf(runs)) * last + 1e-9));
}

/** The first step of the longest run at which a run shows `step`: the inverse of `stepAt`. @param {Extent} run @param {number} step @param {Extent[]} runs */
export const positionOf = ({ last }, step, runs) => Math.ceil((step / last) * longestOf(runs) - 1e-9);

/** The step of the longest run after which all that has been learned is shown. @param {Extent[]} runs */
export const newestOf = (runs) => Math.max(0, ...runs.map((run) => positionOf(run, run.n, runs)));

/** @param {Extent[]} runs */
export const longestOf = (runs) => Math.max(1, ...runs.map(({ last }) => last));
