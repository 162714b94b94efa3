// Compares the text with an earlier version of it: which tokens were removed, added and kept.

import { element, find } from "../shared/element.js";
import { kindsOfMarks, partsOfSegment } from "../shared/segments.js";
import { listenForEdits, showSource, sourceOf } from "../shared/source_text.js";
import { layTokens, makeDropped, makeMarkKey, makeToken } from "../shared/token_strip.js";
import { NewestWins } from "../shared/wire.js";
import { count, counted, signed } from "../shared/wording.js";
import { Block } from "./blocks.js";
import { costChange } from "./totals.js";

/** @typedef {import("../shared/segments.js").Segment} Segment */
/** @typedef {import("../shared/text_sync.js").Piece} Piece */
/** A segment, and its text in parts where its tokens do not spell all of it. @typedef {Segment & {parts?: ReturnType<typeof partsOfSegment>}} Told */
/** What became of a run of segments. @typedef {{kind: "kept" | "removed" | "added", segments: Told[]}} Run */

/** The difference is drawn so long after what was typed is shown: no key press waits for it. */
const PAUSE_MS = 40;
/** The next one rests so many times as long as this one took: typing has most of the browser's time, whatever the texts are. */
const REST = 3;
/** So many segments are shown around a change, at each end of a long change, and in all. */
const AROUND = 10, ENDS = 500, MAX_DRAWN = 3_000;

/**
 * `send` tells the server the earlier version and gets its tokens; `getBlocks` are those of the present text, null
 * where they are not of what was typed.
 * @typedef {{send: (earlier: string | null) => Promise<{pieces: Piece[]}>, getBlocks: () => Block[] | null,
 *   getText: () => string, getSettings: () => import("./totals.js").Settings, onError: (error: Error) => void,
 *   onTurn: () => void}} VersionsUse
 */

export class Versions {
  /** @param {HTMLElement} root @param {AbortSignal} signal @param {VersionsUse} use */
  constructor(root, signal, use) {
    this.root = root;
    this.use = use;
    this.area = find(root, ".earlier", HTMLTextAreaElement);
    this.source = sourceOf(this.area);
    this.isOn = false;
    /** @type {Block[]} of the earlier version */
    this.blocks = [];
    this.keys = new Keys();
    /** How long the last difference took. */
    this.drawMs = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.sending = new NewestWins((/** @type {string | null} */ earlier) => this.send(earlier));
    /** What was written into the field, which comes back with it. @type {string | null} */
    this.own = null;
    const onText = () => {
      this.own = this.source.text;
      this.sending.push(this.own);
    };
    const takePresent = () => {
      this.own = null;
      this.turn(use.getText());
    };
    listenForEdits(this.area, onText, { signal });
    find(root, ".versions-switch").addEventListener("click", () => this.turn(this.isOn ? null : this.own ?? use.getText()), { signal });
    find(root, ".take-present").addEventListener("click", takePresent, { signal });
    const end = () => {
      this.turn(null);
      find(root, ".text").focus();
    };
    find(root, ".end-versions").addEventListener("click", end, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** The earlier version, null where there is none. */
  get earlier() {
    return this.isOn ? this.source.text : null;
  }

  /** Compare with this version; null: with none. @param {string | null} earlier */
  turn(earlier) {
    this.isOn = earlier !== null;
    this.use.onTurn();
    this.root.dataset.versions = this.isOn ? "two" : "one";
    find(this.root, ".versions-switch").setAttribute("aria-pressed", String(this.isOn));
    if (earlier !== null) {
      this.source.set(earlier);
      showSource(this.area);
    }
    this.sending.push(earlier);
  }

  /** The version that was compared with before the page was left. @param {string} earlier */
  putBack(earlier) {
    this.own = earlier;
    this.turn(earlier);
  }

  /** The tokens of both have changed: another tokenizer, or another session that does not know the earlier version. */
  retell() {
    if (this.isOn) this.sending.push(this.source.text);
  }

  /** @param {string | null} earlier */
  async send(earlier) {
    try {
      const { pieces } = await this.use.send(earlier), text = (earlier ?? "").toWellFormed();
      let start = 0;
      this.blocks = pieces.map(({ nUtf16, ids, lengths, marks }) => new Block(text.slice(start, (start += nUtf16)), ids, lengths, marks));
      this.follow();
    } catch (error) {
      this.use.onError(/** @type {Error} */ (error));
    }
  }

  /** Show the difference in a moment. */
  follow() {
    if (!this.isOn || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const blocks = this.isOn ? this.use.getBlocks() : null;
      if (blocks) this.draw(blocks);
    }, Math.max(PAUSE_MS, REST * this.drawMs));
  }

  /** @param {Block[]} present */
  draw(present) {
    const begin = performance.now();
    const [old, now] = [this.blocks, present].map((blocks) => blocks.flatMap(toldOf));
    const { matches, isLeast } = matchSequences(this.keys.of(this.blocks), this.keys.of(present));
    const runs = makeRuns(matches, old, now), n = countRuns(runs);
    find(this.root, ".difference").replaceChildren(...this.summary(n, isLeast), makeKey([...this.blocks, ...present]), drawRuns(runs));
    this.drawMs = performance.now() - begin;
  }

  /** @param {Record<Run["kind"], number>} n @param {boolean} isLeast */
  summary(n, isLeast) {
    const before = n.kept + n.removed, now = n.kept + n.added, change = now - before;
    const line = element("p", "change");
    line.append(element("b", "", change ? `${signed(change)} token${Math.abs(change) === 1 ? "" : "s"}` : "The same number of tokens as before"));
    const percent = before ? Number(((100 * change) / before).toFixed(1)) : 0;
    const cost = costChange(change, this.use.getSettings());
    line.append(element("span", "", `${percent ? ` (${signed(percent)} %)` : ""}: ${change ? `${count(before)} → ` : ""}${count(now)}${cost ? ` · ${cost}` : ""}`));
    const parts = element("p", "parts");
    for (const kind of /** @type {const} */ (["removed", "added", "kept"])) parts.append(element("span", `part ${kind}`, `${counted(n[kind], "token")} ${kind}`));
    if (!isLeast) parts.append(element("span", "", "In a text this long, some tokens that moved may be counted as removed and added."));
    return [line, parts];
  }
}

/** Numbers for segments: equal where their tokens are. */
class Keys {
  constructor() {
    /** @type {Map<string, number>} */
    this.known = new Map();
    /** @type {WeakMap<Block, number[]>} */
    this.ofBlock = new WeakMap();
  }

  /** @param {Block[]} blocks */
  of(blocks) {
    return blocks.flatMap((block) => {
      let keys = this.ofBlock.get(block);
      if (!keys) this.ofBlock.set(block, (keys = block.segments.map((segment, k) => this.keyOf(block, segment, k))));
      return keys;
    });
  }

  /** @param {Block} block @param {Segment} segment @param {number} k */
  keyOf(block, { first, last }, k) {
    if (last - first === 1) return block.ids[first];
    const name = block.idsOf(k).join(" "), known = this.known.get(name) ?? -1 - this.known.size;
    this.known.set(name, known);
    return known;
  }
}

/** What stayed, and between it what went and what came. @param {Match[]} matches @param {Told[]} old @param {Told[]} now @returns {Run[]} */
export function makeRuns(matches, old, now) {
  /** @type {Run[]} */
  const runs = [];
  let a = 0, b = 0;
  const push = (/** @type {Run["kind"]} */ kind, /** @type {Told[]} */ segments) => void (segments.length && runs.push({ kind, segments }));
  for (const match of [...matches, { old: old.length, now: now.length, length: 0 }]) {
    push("removed", old.slice(a, match.old));
    push("added", now.slice(b, match.now));
    push("kept", now.slice(match.now, match.now + match.length));
    [a, b] = [match.old + match.length, match.now + match.length];
  }
  return runs;
}

/** How many tokens went, came and stayed. @param {Run[]} runs */
export function countRuns(runs) {
  const n = { kept: 0, removed: 0, added: 0 };
  for (const { kind, segments } of runs) n[kind] += nTokens(segments);
  return n;
}

/** @param {Segment[]} segments */
const nTokens = (segments) => segments.reduce((n, { first, last }) => n + last - first, 0);

/**
 * What is drawn of the runs: their segments and, where some are left out, a sentence in their place. Of a long run both
 * ends are drawn, of what stayed only those beside a change, and never more than MAX_DRAWN segments: elements cost far
 * more than the tokens that they show.
 * @param {Run[]} runs
 * @returns {Generator<Run | string>}
 */
export function* iterDrawn(runs) {
  let nDrawn = 0;
  for (const [i, { kind, segments }] of runs.entries()) {
    const isKept = kind === "kept", nEnd = isKept ? AROUND : ENDS, n = segments.length, isLong = n > 2 * nEnd + 4;
    const head = isLong ? segments.slice(0, isKept && i === 0 ? 0 : nEnd) : segments;
    const tail = isLong ? segments.slice(isKept && i === runs.length - 1 ? n : n - nEnd) : [];
    nDrawn += head.length + tail.length;
    if (nDrawn > MAX_DRAWN) return yield "… more further on …";
    yield { kind, segments: head };
    if (isLong) yield `… ${counted(nTokens(segments) - nTokens(head) - nTokens(tail), isKept ? "token" : "more token")} ${kind} …`;
    yield { kind, segments: tail };
  }
}

/** The changes, each with a little of what stayed around it. @param {Run[]} runs */
function drawRuns(runs) {
  const strip = element("div", "strip");
  const drawn = [...iterDrawn(runs)].flatMap((part) =>
    typeof part === "string" ? [element("span", "gap", part)] : part.segments.flatMap((segment) => drawSegment(segment, part.kind)),
  );
  strip.append(layTokens(drawn, /^[· ]/));
  return strip;
}

/** @param {Told} segment @param {Run["kind"]} kind */
function drawSegment({ text, first, last, parts }, kind) {
  const marks = kind !== "kept", kinds = [kind, ...(parts?.isChanged ? ["changed"] : []), ...(parts?.isInserted ? ["inserted"] : [])];
  const token = makeToken(parts?.own ?? text, { color: 0, nTokens: last - first, marks, kinds });
  if (kind !== "kept") token.title = kind;
  const dropped = (/** @type {string | undefined} */ gone) => (gone ? [makeDropped(gone, marks)] : []);
  return [...dropped(parts?.before), token, ...dropped(parts?.behind)];
}

/** Its segments, in parts where its tokens do not spell them. @param {Pick<Block, "segments" | "marks">} block @returns {Told[]} */
export function toldOf({ segments, marks }) {
  return marks.length ? segments.map((segment) => ({ ...segment, parts: partsOfSegment(segment, marks) })) : segments;
}

/** What the marks of both versions mean. @param {Block[]} blocks */
function makeKey(blocks) {
  const all = blocks.map(({ marks }) => kindsOfMarks(marks)), key = element("p", "shades-key marks-told");
  const some = (/** @type {"isDropped" | "isChanged" | "isInserted"} */ kind) => all.some((told) => told[kind]);
  key.append(...makeMarkKey({ isDropped: some("isDropped"), isChanged: some("isChanged"), isInserted: some("isInserted") }));
  key.hidden = !key.childElementCount;
  return key;
}

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
