// Draws a block of the token pane: its tokens, and shades by the rank or category of each token.

import { element } from "../shared/element.js";
import { partsOfSegment } from "../shared/segments.js";
import { colorOfId, layTokens, makeDropped, makeToken } from "../shared/token_strip.js";
import { hex } from "../shared/wording.js";
import { cutClasses } from "./split_pattern.js";

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("./blocks.js").TokenRange} TokenRange */

/**
 * The labels on tokens, the meaning of their colours, and whether white space is visible.
 * @typedef {{marks: boolean, label: "text" | "both" | "ids" | "bytes", colorBy: "position" | "id" | "rank" | "bytes" | "category" | "pattern"}} View
 */

/**
 * Data for drawing tokens: the ids of special tokens, the ranges of tokens that a chat's template adds, `facts` about
 * ids and `cuts` of tokens.
 * @typedef {{view: View, special: Set<number>, template: [number, number][], facts: TokenFacts,
 *   cuts: import("./split_pattern.js").PatternCuts}} Manner
 */

/** Characters on a line, to estimate the height of an unfilled block. */
const LINE_CHARACTERS = 60;

/** A longer token may be wider than the pane. */
const LONG = 24;

/** Parts of a segment whose tokens spell all its text. */
const WHOLE = { before: "", behind: "", isChanged: false, isInserted: false };

/** A block with its element, which is filled when it comes into view. */
export class DrawnBlock {
  /** @param {Block} block */
  constructor(block) {
    this.block = block;
    this.tokens = element("div", "block");
    this.hasTokens = false;
    /** The range of its tokens that is chosen. @type {TokenRange | null} */
    this.chosen = null;
    const { source } = block;
    const nFeeds = typeof source === "string" && source.length > 200 ? source.split("\n").length / 2 : 0;
    reserve(this.tokens, Math.ceil(source.length / LINE_CHARACTERS + nFeeds + 1) * 1.8);
  }

  /** @param {Manner} manner */
  fillTokens(manner) {
    if (this.hasTokens) return;
    this.hasTokens = true;
    const { block } = this;
    /** @type {HTMLElement[]} */
    const elements = [];
    if (!block.colors) block.color();
    const firstToken = manner.template.length ? block.firstToken : 0;
    let isLineStart = block.startsLine;
    block.segments.forEach((segment, k) => {
      if (isLineStart) elements.push(makeGutter(block.tokensOfLine(k)));
      isLineStart = segment.text.includes("\n");
      const { before, behind } = block.marks.length ? partsOfSegment(segment, block.marks) : WHOLE;
      if (before) elements.push(makeDropped(before, manner.view.marks));
      elements.push(this.makeSegment(k, manner, firstToken));
      if (behind) elements.push(makeDropped(behind, manner.view.marks));
    });
    if (!block.segments.length && typeof block.source === "string" && block.source) elements.push(makeDropped(block.source, manner.view.marks));
    this.tokens.replaceChildren(layTokens(elements));
    this.tokens.style.minHeight = "";
    // A block that begins with a line feed ends the previous block's line.
    this.tokens.classList.toggle("continues", !block.startsLine && Boolean(block.segments[0]?.text.startsWith("\n")));
    if (this.chosen) this.markChosen();
  }

  /** @param {number} k @param {Manner} manner @param {number} firstToken of the block, where there is a template */
  makeSegment(k, { view, special, template, facts, cuts }, firstToken) {
    const { block } = this, segment = block.segments[k], ids = block.idsOf(k), kinds = [];
    if (special.has(ids[0])) kinds.push("special");
    const index = firstToken + segment.first;
    if (template.some(([first, last]) => index >= first && index < last)) kinds.push("template");
    const color = view.colorBy === "id" ? colorOfId(ids[0]) : (block.colors?.[k] ?? 0);
    if (view.colorBy === "pattern") kinds.push("shaded", ...cutClasses(cuts.of(block)?.[segment.first]));
    else if (view.colorBy !== "position" && view.colorBy !== "id") {
      const shade = shadeOf(view.colorBy, segment, view.colorBy === "bytes" ? undefined : facts.of(ids[0]));
      kinds.push("shaded", ...(shade ? [shade] : []));
    }
    const label = { text: undefined, both: undefined, ids: `${ids.join(" ")} `, bytes: `${block.bytesOf(k).map(hex).join("|")} ` }[view.label]; // screen readers need the space
    const { own, isChanged, isInserted } = block.marks.length ? partsOfSegment(segment, block.marks) : { ...WHOLE, own: segment.text };
    if (isChanged) kinds.push("changed");
    if (isInserted) kinds.push("inserted");
    if ((label ?? own).length > LONG && !own.includes("\n")) kinds.push("long");
    const token = makeToken(own, { color, nTokens: ids.length, marks: view.marks, kinds, label });
    if (view.label === "both") token.append(element("small", "", ids.join(" ")));
    return token;
  }

  /** Choose a range of its tokens, or none. @param {TokenRange | null} range */
  choose(range) {
    const last = this.chosen;
    if (range === last || (range && last && range.first === last.first && range.last === last.last)) return;
    this.chosen = range;
    if (this.hasTokens) this.markChosen(); // otherwise marked when it is filled
  }

  /** Mark the chosen tokens; a completely chosen block is marked as a whole. */
  markChosen() {
    const { block, chosen, tokens } = this, isWhole = chosen !== null && chosen.first <= 0 && chosen.last >= block.ids.length;
    tokens.classList.toggle("chosen", isWhole);
    for (const marked of tokens.querySelectorAll(".chosen")) marked.classList.remove("chosen");
    if (!chosen || isWhole) return;
    tokens.querySelectorAll(".t").forEach((each, k) => {
      const { first, last } = block.segments[k];
      each.classList.toggle("chosen", first < chosen.last && last > chosen.first);
    });
  }

  /** The element of a segment; undefined if the block is not filled. @param {number} k @returns {Element | undefined} */
  tokenOf(k) {
    return this.tokens.querySelectorAll(".t")[k];
  }

  /** Update the number of tokens of the last line, which continues in changed blocks; return false if no line begins here. */
  refreshOpenLine() {
    const gutters = this.hasTokens ? [...this.tokens.getElementsByClassName("gutter")] : [];
    const gutter = /** @type {HTMLElement | undefined} */ (gutters.at(-1));
    if (!gutter) return false;
    const tokens = [...this.tokens.querySelectorAll(".t")];
    const k = tokens.findIndex((token) => gutter.compareDocumentPosition(token) & Node.DOCUMENT_POSITION_FOLLOWING);
    gutter.dataset.n = String(this.block.tokensOfLine(k));
    return true;
  }
}

/** Give a block its estimated height until it is filled. @param {HTMLElement} block @param {number} height in em */
function reserve({ style }, height) {
  style.containIntrinsicSize = `auto ${height}em`;
  style.minHeight = `${height}em`;
}

/** The number of tokens of a line, shown before it. @param {number} nTokens */
function makeGutter(nTokens) {
  const mark = element("i", "gutter");
  mark.dataset.n = String(nTokens);
  return mark;
}

/** Facts about an id; a negative category depends on the surrounding text. @typedef {{rank: number | null, category: number}} Facts */
/** @typedef {View["colorBy"]} ColorBy */

/** The most ids in one request. */
const MOST_IDS = 5_000;
/** The lowest rank of each shade. */
const STEPS = { rank: [256, 1_000, 5_000, 20_000], bytes: [2, 3, 5, 8] };
const NAMES = {
  rank: ["rank below 256", "256 to 999", "1,000 to 4,999", "5,000 to 19,999", "20,000 or more"],
  bytes: ["1 byte per token", "2", "3 to 4", "5 to 7", "8 or more"],
  category: ["letters", "white space", "digits", "punctuation", "special", "other"],
};

/** @param {number} value @param {number[]} steps */
const stepOf = (value, steps) => steps.filter((step) => value >= step).length;

/** The meaning of each shade, by its class; empty if colours only distinguish neighbours. @param {ColorBy} colorBy @returns {[className: string, meaning: string][]} */
export function keyOf(colorBy) {
  if (colorBy === "rank" || colorBy === "bytes") return NAMES[colorBy].map((name, i) => [`step${i}`, name]);
  return colorBy === "category" ? NAMES.category.map((name, i) => [`kind${i}`, name]) : [];
}

/** Show the legend of the shades in `box`. @param {HTMLElement} box @param {ColorBy} colorBy */
export function showShadesKey(box, colorBy) {
  box.replaceChildren(...keyOf(colorBy).map(([shade, meaning]) => element("span", `t shaded ${shade}`, meaning)));
}

/**
 * The class that colours a segment, or "". Ranks and ids are those of its first token, bytes those of all.
 * @param {ColorBy} colorBy
 * @param {import("../shared/segments.js").Segment} segment
 * @param {Facts | undefined} facts
 */
export function shadeOf(colorBy, { text, first, last, nBytes }, facts) {
  if (colorBy === "bytes") return `step${stepOf(nBytes / (last - first), STEPS.bytes)}`;
  if (!facts) return "";
  if (colorBy === "rank") return facts.rank === null ? "" : `step${stepOf(facts.rank, STEPS.rank)}`;
  if (facts.category >= 0) return `kind${facts.category}`;
  return /^ ?[\p{L}\p{M}]/u.test(text) ? "kind0" : "kind5"; // parts of a character have its category
}

/** Requests facts about unknown ids; many ids are combined in one request. */
export class TokenFacts {
  /** @param {(ids: number[]) => Promise<{ranks: (number | null)[], categories: number[]}>} ask @param {() => void} onNew */
  constructor(ask, onNew) {
    this.ask = ask;
    this.onNew = onNew;
    /** @type {Map<number, Facts>} */
    this.known = new Map();
    /** @type {Set<number>} */
    this.wanted = new Set();
    this.isAsking = false;
  }

  /** Forget all facts, because the tokenizer changed. */
  forget() {
    this.known = new Map();
    this.wanted = new Set();
    this.isAsking = false;
  }

  /** The facts about an id; unknown ones are requested. @param {number} id */
  of(id) {
    const facts = this.known.get(id);
    if (!facts) {
      this.wanted.add(id);
      this.fetch();
    }
    return facts;
  }

  async fetch() {
    if (this.isAsking) return;
    this.isAsking = true;
    const { known } = this;
    await Promise.resolve(); // wait for other ids of the same moment
    const ids = [...this.wanted].slice(0, MOST_IDS);
    const answer = await this.ask(ids).catch(() => null);
    if (known !== this.known) return; // an answer for the previous tokenizer
    for (const id of ids) this.wanted.delete(id);
    answer?.ranks.forEach((rank, i) => known.set(ids[i], { rank, category: answer.categories[i] }));
    this.isAsking = false;
    if (answer) this.onNew();
    if (answer && this.wanted.size) this.fetch();
  }
}
