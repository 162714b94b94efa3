// Pattern cuts: which alternative of the split pattern took the piece of text that each token stands in, asked for when
// tokens are coloured by it.

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("../shared/wire_types.d.ts").PatternCuts} Answer */
/** @typedef {Answer["alternatives"]} Alternatives */

/**
 * `ask` gets the pieces once they are those of the server; `placeOf` says in which piece a block is now and how many
 * tokens of it come before, null where it is gone; `onNew` gets the blocks that are known, `onKnown` tells of the first.
 * @typedef {{ask: (placesOf: () => number[]) => Promise<Answer>, placeOf: (block: Block) => {piece: number, first: number} | null,
 *   onNew: (blocks: Block[]) => void, onKnown: () => void}} CutsUse
 */

/** So many pieces are asked for at once; colours are so many, and come again with a line below. */
const MOST_PIECES = 20, N_KINDS = 6;
const RETRY_MS = 200, MOST_TRIES = 5;

/** The classes of a token with this number; see `TokenCut.number`. @param {number | undefined} number @returns {string[]} */
export function cutClasses(number) {
  if (number === undefined || !(number >= 0)) return [];
  const place = number >> 1, classes = [`kind${place % N_KINDS}`];
  if (place >= N_KINDS) classes.push("striped");
  if (number % 2 === 0) classes.push("goes-on");
  return classes;
}

export class PatternCuts {
  /** @param {CutsUse} use */
  constructor(use) {
    this.use = use;
    /** @type {Alternatives | null} */
    this.alternatives = null;
    /** Whether another pattern may cut for this tokenizer. */
    this.canChange = false;
    /** @type {WeakMap<Block, number[]>} */
    this.known = new WeakMap();
    /** @type {Set<Block>} */
    this.wanted = new Set();
    this.isAsking = false;
    this.nFailed = 0;
    /** Only a text is cut here. */
    this.isText = true;
  }

  /** Another text or tokenizer. */
  forget() {
    this.alternatives = null;
    this.known = new WeakMap();
    this.wanted = new Set();
  }

  /** The numbers of a block's tokens; what is not known is asked for. @param {Block} block */
  of(block) {
    const found = this.known.get(block);
    if (this.isText && (!found || found.includes(NaN)) && !this.wanted.has(block)) {
      this.wanted.add(block);
      void this.fetch();
    }
    return found;
  }

  /** New blocks look as the old ones where their tokens are the same, until they are known. @param {Block[]} removed @param {Block[]} added */
  inherit(removed, added) {
    if (!removed.some((block) => this.known.has(block))) return;
    const old = removed.flatMap((block) => [...block.ids]), now = added.flatMap((block) => [...block.ids]);
    const numbers = removed.flatMap((block) => this.known.get(block) ?? [...block.ids].fill(NaN));
    let head = 0, tail = 0;
    const most = Math.min(old.length, now.length);
    while (head < most && old[head] === now[head]) head++;
    while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
    const guessed = now.map((_, k) => {
      if (k < head) return numbers[k];
      return k >= now.length - tail ? numbers[k - now.length + old.length] : (numbers[head - 1] ?? NaN);
    });
    let start = 0;
    for (const block of added) {
      // A last NaN, beyond the tokens, says that it is a guess.
      this.known.set(block, [...guessed.slice(start, (start += block.ids.length)), NaN]);
    }
  }

  /** The text has changed meanwhile, or the server does not answer: ask again a little later, a few times. */
  again() {
    this.nFailed++;
    if (this.nFailed <= MOST_TRIES) setTimeout(() => void this.fetch(), RETRY_MS);
    else {
      this.nFailed = 0;
      this.wanted.clear();
    }
  }

  async fetch() {
    if (this.isAsking || !this.wanted.size) return;
    this.isAsking = true;
    await Promise.resolve(); // until all that are wanted now are
    const { known } = this;
    /** @type {Map<number, [Block, number][]>} */
    const byPiece = new Map();
    const placesOf = () => {
      byPiece.clear();
      for (const block of this.wanted) {
        const place = this.use.placeOf(block);
        if (place === null) this.wanted.delete(block);
        else if (byPiece.has(place.piece) || byPiece.size < MOST_PIECES) byPiece.set(place.piece, [...(byPiece.get(place.piece) ?? []), [block, place.first]]);
      }
      return [...byPiece.keys()];
    };
    const answer = await this.use.ask(placesOf).catch(() => null);
    this.isAsking = false;
    if (known !== this.known) return void (this.wanted.size && this.fetch()); // of the text before
    if (!answer) return this.again();
    this.nFailed = 0;
    const isFirst = this.alternatives === null;
    this.alternatives = answer.alternatives;
    this.canChange = answer.can_change;
    const fresh = [];
    for (const [n, blocks] of [...byPiece.values()].entries()) {
      for (const [block, first] of blocks) {
        known.set(block, answer.cuts[n].slice(first, first + block.ids.length));
        this.wanted.delete(block);
        fresh.push(block);
      }
    }
    if (isFirst) this.use.onKnown();
    this.use.onNew(fresh);
    if (this.wanted.size) await this.fetch();
  }
}
