// Colours tokens by the alternative of the split pattern that matched their pretoken, with a legend in which the
// reader switches alternatives or types a pattern.

import { element } from "../shared/element.js";
import { NewestWins } from "../shared/wire.js";

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("../shared/wire_types.d.ts").PatternCuts} Answer */
/** @typedef {Answer["alternatives"]} Alternatives */

/**
 * `ask` requests the pieces once the server has them; `placeOf` returns a block's current piece and the number of
 * tokens before it, null if the block is gone; `onNew` gets blocks that have become known; `onKnown` is called for
 * the first answer.
 * @typedef {{ask: (placesOf: () => number[]) => Promise<Answer>, placeOf: (block: Block) => {piece: number, first: number} | null,
 *   onNew: (blocks: Block[]) => void, onKnown: () => void}} CutsUse
 */

/** The most pieces in one request, and the number of colours, which repeat with a line below. */
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

/** Requests the alternative of each token's pretoken, while tokens are coloured by it. */
export class PatternCuts {
  /** @param {CutsUse} use */
  constructor(use) {
    this.use = use;
    /** @type {Alternatives | null} */
    this.alternatives = null;
    /** Whether the tokenizer can use another pattern. */
    this.canChange = false;
    /** @type {WeakMap<Block, number[]>} */
    this.known = new WeakMap();
    /** @type {Set<Block>} */
    this.wanted = new Set();
    this.isAsking = false;
    this.nFailed = 0;
    /** Forget all cuts in modes other than text. */
    this.isText = true;
  }

  /** Forget all cuts, because the text or the tokenizer changed. */
  forget() {
    this.alternatives = null;
    this.known = new WeakMap();
    this.wanted = new Set();
  }

  /** The numbers of a block's tokens; unknown ones are requested. @param {Block} block */
  of(block) {
    const found = this.known.get(block);
    if (this.isText && (!found || found.includes(NaN)) && !this.wanted.has(block)) {
      this.wanted.add(block);
      void this.fetch();
    }
    return found;
  }

  /** Give new blocks the numbers of the old ones where tokens are the same, until the answer comes. @param {Block[]} removed @param {Block[]} added */
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
      // A final NaN, beyond the tokens, marks an estimate.
      this.known.set(block, [...guessed.slice(start, (start += block.ids.length)), NaN]);
    }
  }

  /** Request again after a delay, a few times: the text changed meanwhile, or the server didn't answer. */
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
    await Promise.resolve(); // wait for other blocks of the same moment
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
    if (known !== this.known) return void (this.wanted.size && this.fetch()); // an answer for the previous text
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

/** @typedef {import("../shared/wire_types.d.ts").Cutting} Cutting */
/** @typedef {import("../shared/wire_types.d.ts").Alternative} Alternative */

const MOST_SHOWN = 24, MOST_CHARACTERS = 5_000;
const OWN = Object.freeze({ own: "", off: [] });

/** Whether the tokenizer's own pattern is in use. @param {Cutting} cutting */
export const isUnchanged = ({ own, off }) => !own && !off.length;

/** @param {Cutting} cutting @param {number} place @returns {Cutting} with this alternative on or off */
export function switched({ own, off }, place) {
  return { own, off: off.includes(place) ? off.filter((one) => one !== place) : [...off, place].toSorted((a, b) => a - b) };
}

/** The legend of the pattern's alternatives, each with a switch, and the field for the reader's own pattern. */
export class PatternKey {
  /**
   * `send` applies another pattern, and throws an error if it is invalid.
   * @param {HTMLElement} root @param {AbortSignal} signal @param {(cutting: Cutting) => Promise<void>} send
   */
  constructor(root, signal, send) {
    this.root = root;
    /** The reader's choice, which the server may not have yet. @type {Cutting} */
    this.cutting = OWN;
    this.list = element("div", "alternatives");
    this.own = element("input", "own-pattern");
    this.back = element("button", "back", "Back to the tokenizer’s");
    this.said = element("span", "said");
    this.said.role = "status";
    this.own.spellcheck = false;
    this.own.maxLength = MOST_CHARACTERS;
    this.own.placeholder = "Own pattern";
    this.own.ariaLabel = "Own pattern";
    this.own.title = "Split with this regular expression instead, and keep the tokenizer’s merges";
    this.back.type = "button";
    this.back.hidden = true;
    this.changing = element("div", "changing");
    this.changing.append(this.own, this.back, this.said);
    root.append(this.list, this.changing);
    this.sending = new NewestWins(async (/** @type {Cutting} */ cutting) => {
      try {
        await send(cutting);
        this.said.textContent = "";
      } catch (error) {
        this.said.textContent = error instanceof Error ? error.message : String(error);
      }
    });
    this.own.addEventListener("input", () => this.change({ own: this.own.value.toWellFormed(), off: [] }), { signal });
    this.back.addEventListener("click", () => this.reset(), { signal });
    this.list.addEventListener("click", (event) => {
      const pressed = /** @type {Element} */ (event.target).closest("button");
      if (pressed) this.change(switched(this.cutting, Number(pressed.dataset.place)));
    }, { signal });
  }

  /** Use the tokenizer's own pattern again. */
  reset() {
    if (!isUnchanged(this.cutting) || this.said.textContent) this.change(OWN);
    this.own.value = "";
  }

  /** Restore a choice after a reload or a restart of the server. @param {Cutting} cutting */
  restore(cutting) {
    if (isUnchanged(cutting)) return;
    this.own.value = cutting.own;
    this.change(cutting);
  }

  /** @param {Cutting} cutting */
  change(cutting) {
    this.cutting = cutting;
    this.back.hidden = isUnchanged(cutting);
    void this.sending.push(cutting);
  }

  /** Show the server's cutting, unless a change is in transit. @param {Cutting} cutting */
  adopt(cutting) {
    if (this.sending.running) return;
    this.cutting = cutting;
    this.back.hidden = isUnchanged(cutting);
    this.said.textContent = "";
    if (this.own.value !== cutting.own) this.own.value = cutting.own;
  }

  /** Show the meaning of each colour, or why there is no pattern; until the answer comes, the previous one stays. @param {boolean} isShown @param {PatternCuts} cuts */
  draw(isShown, { alternatives, isText, canChange }) {
    this.root.hidden = !isShown;
    if (!isShown || (isText && !alternatives)) return;
    this.changing.hidden = !isText || !canChange;
    if (!isText) return this.list.replaceChildren("The split pattern is shown for a text only, not for a chat or ids.");
    if (!alternatives?.length) {
      return this.list.replaceChildren(canChange ? "The text matches no part of the pattern." : "The split pattern of this tokenizer is unknown.");
    }
    const focused = /** @type {HTMLElement | null} */ (this.list.querySelector(":focus"))?.dataset.place;
    this.list.replaceChildren(...alternatives.map((one, place) => makeAlternative(one, place, canChange)));
    if (focused !== undefined) /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-place="${focused}"]`))?.focus();
  }
}

/** @param {Alternative} alternative @param {number} place @param {boolean} canChange */
function makeAlternative({ name, text, is_on }, place, canChange) {
  const one = element(canChange ? "button" : "span", `t shaded ${cutClasses(2 * place + 1).join(" ")}`);
  one.title = canChange ? `${text}\n${is_on ? "Switch off" : "Switch on"}` : text;
  if (one instanceof HTMLButtonElement) {
    one.type = "button";
    one.dataset.place = String(place);
    one.ariaPressed = String(is_on);
  }
  one.append(`${place + 1} ${name || "other"} `, element("code", "", text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text));
  return one;
}
