// Compares the text with an earlier version: removed, added and unchanged tokens.

import { element, find } from "../shared/element.js";
import { kindsOfMarks, partsOfSegment } from "../shared/segments.js";
import { listenForEdits, showSource, sourceOf } from "../shared/source_text.js";
import { layTokens, makeDropped, makeToken, showMarkKey } from "../shared/token_strip.js";
import { NewestWins } from "../shared/wire.js";
import { count, counted, signed } from "../shared/wording.js";
import { Block } from "./blocks.js";
import { costChange } from "./totals.js";

/** @typedef {import("../shared/segments.js").Segment} Segment */
/** @typedef {import("../shared/live_text.js").Piece} Piece */
/** A segment, with its text in parts if its tokens don't spell all of it. @typedef {Segment & {parts?: ReturnType<typeof partsOfSegment>}} Parted */
/** A run of segments with the same change. @typedef {{kind: "kept" | "removed" | "added", segments: Parted[]}} Run */

/** Milliseconds between typing and the difference, so that no key press waits for it. */
const PAUSE_MS = 40;
/** Pause before the next difference, as a multiple of the last one's time, so that typing stays fast for any text. */
const REST = 3;
/** The most segments drawn around a change, at each end of a long change, and in all. */
const AROUND = 10, ENDS = 500, MAX_DRAWN = 3_000;

/**
 * `send` gets the tokens of the earlier version; `getBlocks` returns those of the current text, null if they
 * are older than the text.
 * @typedef {{send: (earlier: string) => Promise<{pieces: Piece[]}>, getBlocks: () => Block[] | null,
 *   getText: () => string, getSettings: () => import("./totals.js").Settings, onError: (error: Error) => void,
 *   onTurn: () => void, showText: () => Promise<void>}} VersionsUse
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
    /** The milliseconds that the last difference took. */
    this.drawMs = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.sending = new NewestWins((/** @type {string} */ earlier) => this.send(earlier));
    /** The earlier version as it was typed, for the case that the field is shown again. @type {string | null} */
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
    const begin = async () => {
      await use.showText();
      if (!this.isOn) this.turn(this.own ?? use.getText());
    };
    find(root, ".versions-switch").addEventListener("click", begin, { signal });
    find(root, ".take-present").addEventListener("click", takePresent, { signal });
    const end = () => {
      this.turn(null);
      find(root, ".text").focus();
    };
    find(root, ".end-versions").addEventListener("click", end, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** The earlier version; null if there is none. */
  get earlier() {
    return this.isOn ? this.source.text : null;
  }

  /** Show this earlier version; null ends the comparison. @param {string | null} earlier */
  show(earlier) {
    this.isOn = earlier !== null;
    this.root.dataset.versions = this.isOn ? "two" : "one";
    this.use.onTurn();
    if (earlier === null) return;
    this.source.set(earlier);
    showSource(this.area);
  }

  /** Compare with this version; null ends the comparison. @param {string | null} earlier */
  turn(earlier) {
    this.show(earlier);
    this.retell();
  }

  /** Fetch the earlier version's tokens, also after a change of the tokenizer or session. */
  retell() {
    if (this.isOn) this.sending.push(this.source.text);
  }

  /** @param {string} earlier */
  async send(earlier) {
    try {
      const { pieces } = await this.use.send(earlier), text = earlier.toWellFormed();
      let start = 0;
      this.blocks = pieces.map(({ nUtf16, ids, lengths, marks }) => new Block(text.slice(start, (start += nUtf16)), ids, lengths, marks));
      this.follow();
    } catch (error) {
      this.use.onError(/** @type {Error} */ (error));
    }
  }

  /** Draw the difference soon. */
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
    const [old, now] = [this.blocks, present].map((blocks) => blocks.flatMap(partedOf));
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

/** Numbers for segments; equal for equal tokens. */
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

/** The runs of unchanged segments, and those removed and added between them. @param {Match[]} matches @param {Parted[]} old @param {Parted[]} now @returns {Run[]} */
export function makeRuns(matches, old, now) {
  /** @type {Run[]} */
  const runs = [];
  let a = 0, b = 0;
  const push = (/** @type {Run["kind"]} */ kind, /** @type {Parted[]} */ segments) => void (segments.length && runs.push({ kind, segments }));
  for (const match of [...matches, { old: old.length, now: now.length, length: 0 }]) {
    push("removed", old.slice(a, match.old));
    push("added", now.slice(b, match.now));
    push("kept", now.slice(match.now, match.now + match.length));
    [a, b] = [match.old + match.length, match.now + match.length];
  }
  return runs;
}

/** The numbers of removed, added and unchanged tokens. @param {Run[]} runs */
export function countRuns(runs) {
  const n = { kept: 0, removed: 0, added: 0 };
  for (const { kind, segments } of runs) n[kind] += nTokens(segments);
  return n;
}

/** @param {Segment[]} segments */
const nTokens = (segments) => segments.reduce((n, { first, last }) => n + last - first, 0);

/**
 * Yield the runs to draw: their segments, and a sentence in place of omitted ones. Of a long run both ends are drawn,
 * of unchanged text only the parts beside a change, and never more than MAX_DRAWN segments, because elements are far
 * more expensive than tokens.
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

/** The changes, each with some unchanged segments around it. @param {Run[]} runs */
function drawRuns(runs) {
  const strip = element("div", "strip");
  const drawn = [...iterDrawn(runs)].flatMap((part) =>
    typeof part === "string" ? [element("span", "gap", part)] : part.segments.flatMap((segment) => drawSegment(segment, part.kind)),
  );
  strip.append(layTokens(drawn, /^[· ]/));
  return strip;
}

/** @param {Parted} segment @param {Run["kind"]} kind */
function drawSegment({ text, first, last, parts }, kind) {
  const marks = kind !== "kept", kinds = [kind, ...(parts?.isChanged ? ["changed"] : []), ...(parts?.isInserted ? ["inserted"] : [])];
  const token = makeToken(parts?.own ?? text, { color: 0, nTokens: last - first, marks, kinds });
  if (kind !== "kept") token.title = kind;
  const dropped = (/** @type {string | undefined} */ gone) => (gone ? [makeDropped(gone, marks)] : []);
  return [...dropped(parts?.before), token, ...dropped(parts?.behind)];
}

/** The segments of a block, in parts if tokens don't spell them. @param {Pick<Block, "segments" | "marks">} block @returns {Parted[]} */
export function partedOf({ segments, marks }) {
  return marks.length ? segments.map((segment) => ({ ...segment, parts: partsOfSegment(segment, marks) })) : segments;
}

/** The legend of the marks in both versions. @param {Block[]} blocks */
function makeKey(blocks) {
  const all = blocks.map(({ marks }) => kindsOfMarks(marks)), key = element("p", "shades-key changes-key");
  const some = (/** @type {"isDropped" | "isChanged" | "isInserted"} */ kind) => all.some((marked) => marked[kind]);
  showMarkKey(key, { isDropped: some("isDropped"), isChanged: some("isChanged"), isInserted: some("isInserted") });
  return key;
}

/** A part that both versions have: it begins at `old` and at `now`. @typedef {{old: number, now: number, length: number}} Match */

/** Longer parts are first divided at numbers that each version has once. */
const DIVIDED = 2_000;
/** The most edits searched for in a part; beyond that, the part counts as replaced. */
const MAX_EDITS = 800;
/** The most steps for all parts together, about 20 ms. */
const MAX_STEPS = 3_000_000;

/**
 * Find the unchanged parts, in order. `isLeast`: the number of edits is minimal; otherwise very different parts were
 * not searched. `nSteps` is the work done.
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

/** Match numbers that both versions have exactly once: the longest sequence in the same order in both. @param {ArrayLike<number>} old @param {ArrayLike<number>} now @param {Part} part @param {{nSteps: number}} state @returns {Match[]} */
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
  // The longest increasing sequence of positions, by patience sorting.
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

/** Find the minimal edits of a part by Myers's algorithm (1986); nothing is kept if there are too many. @param {ArrayLike<number>} old @param {ArrayLike<number>} now @param {Part} part @param {Match[]} found @param {{isLeast: boolean, nSteps: number}} state */
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

/** The path that led to the end. @param {Int32Array[]} rounds the positions reached with each number of edits @param {number} k @param {number} n @returns {Match[]} */
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

/** Join adjacent matches. @param {Match[]} matches */
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
