// Versions: an earlier version of the text beside the present one, and which of their tokens went, came and stayed.

import { element, find } from "../shared/element.js";
import { NewestWins } from "../shared/newest_wins.js";
import { count, counted, signed } from "../shared/numbers.js";
import { listenForEdits, showSource, sourceOf } from "../shared/source_text.js";
import { kindsOfMarks, partsOfSegment } from "../shared/token_marks.js";
import { layTokens, makeDropped, makeMarkKey, makeToken } from "../shared/token_strip.js";
import { Block } from "./blocks.js";
import { matchSequences } from "./sequence_diff.js";
import { costChange } from "./window_cost.js";

/** @typedef {import("../shared/segments.js").Segment} Segment */
/** @typedef {import("../shared/text_edits.js").Piece} Piece */
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
 *   getText: () => string, getSettings: () => import("./window_cost.js").Settings, onError: (error: Error) => void}} VersionsUse
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
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** The earlier version, null where there is none. */
  get earlier() {
    return this.isOn ? this.source.text : null;
  }

  /** Compare with this version; null: with none. @param {string | null} earlier */
  turn(earlier) {
    this.isOn = earlier !== null;
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
    line.append(element("b", "", change ? `${signed(change)} token${Math.abs(change) === 1 ? "" : "s"}` : "As many tokens as before"));
    const percent = before ? Number(((100 * change) / before).toFixed(1)) : 0;
    const cost = costChange(change, this.use.getSettings());
    line.append(element("span", "", `${percent ? ` (${signed(percent)} %)` : ""}: ${change ? `${count(before)} → ` : ""}${count(now)}${cost ? ` · ${cost}` : ""}`));
    const parts = element("p", "parts");
    for (const kind of /** @type {const} */ (["removed", "added", "kept"])) parts.append(element("span", `part ${kind}`, `${counted(n[kind], "token")} ${kind}`));
    if (!isLeast) parts.append(element("span", "", "In a text this long, some of what moved may count as removed and added."));
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

/** What stayed, and between it what went and what came. @param {import("./sequence_diff.js").Match[]} matches @param {Told[]} old @param {Told[]} now @returns {Run[]} */
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
