// Token facts: the rank and the category of ids, asked for once each, and the shades that they give tokens.

/** What is known of an id; a category below 0 depends on the text around it. @typedef {{rank: number | null, category: number}} Facts */
/** @typedef {import("./drawn_block.js").View["colorBy"]} ColorBy */

/** So many ids are asked for at once. */
const MOST_IDS = 5_000;
/** From each of these on, a shade is darker. */
const STEPS = { rank: [256, 1_000, 5_000, 20_000], bytes: [2, 3, 5, 8] };
const NAMES = {
  rank: ["rank below 256", "256 to 999", "1,000 to 4,999", "5,000 to 19,999", "20,000 and more"],
  bytes: ["1 byte a token", "2", "3 to 4", "5 to 7", "8 and more"],
  category: ["letters", "white space", "digits", "punctuation", "special", "other"],
};

/** @param {number} value @param {number[]} steps */
const stepOf = (value, steps) => steps.filter((step) => value >= step).length;

/** What each shade means, by its class; nothing where colours only tell neighbours apart. @param {ColorBy} colorBy @returns {[className: string, meaning: string][]} */
export function keyOf(colorBy) {
  if (colorBy === "rank" || colorBy === "bytes") return NAMES[colorBy].map((name, i) => [`step${i}`, name]);
  return colorBy === "category" ? NAMES.category.map((name, i) => [`kind${i}`, name]) : [];
}

/**
 * The class that colours a segment, "" for none; of several tokens the first is looked at, of bytes all.
 * @param {ColorBy} colorBy
 * @param {import("../shared/segments.js").Segment} segment
 * @param {Facts | undefined} facts
 */
export function shadeOf(colorBy, { text, first, last, nBytes }, facts) {
  if (colorBy === "bytes") return `step${stepOf(nBytes / (last - first), STEPS.bytes)}`;
  if (!facts) return "";
  if (colorBy === "rank") return facts.rank === null ? "" : `step${stepOf(facts.rank, STEPS.rank)}`;
  if (facts.category >= 0) return `kind${facts.category}`;
  return /^ ?[\p{L}\p{M}]/u.test(text) ? "kind0" : "kind5"; // parts of a character are of its category
}

/** Asks for what is not known; many ids that are wanted together are one request. */
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

  /** Another tokenizer: nothing is known any longer. */
  forget() {
    this.known = new Map();
    this.wanted = new Set();
    this.isAsking = false;
  }

  /** What is known of an id; what is not is asked for. @param {number} id */
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
    await Promise.resolve(); // until all that are wanted now are
    const ids = [...this.wanted].slice(0, MOST_IDS);
    const answer = await this.ask(ids).catch(() => null);
    if (known !== this.known) return; // of the tokenizer before
    for (const id of ids) this.wanted.delete(id);
    answer?.ranks.forEach((rank, i) => known.set(ids[i], { rank, category: answer.categories[i] }));
    this.isAsking = false;
    if (answer) this.onNew();
    if (answer && this.wanted.size) this.fetch();
  }
}
