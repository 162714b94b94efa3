// Token pane: coloured segments in blocks, which are filled only when they come near the view.

import { kindsOfMarks, NO_MARKS } from "../shared/segments.js";
import { keepColors, Light } from "../shared/token_strip.js";
import { cutBlocks, describeSpot, endOf, firstTokenOf, linkBlocks, spotOf, startOf, stepLine, stepSpot } from "./blocks.js";
import { DrawnBlock, TokenFacts } from "./drawn_block.js";
import { PatternCuts } from "./split_pattern.js";
import { selectedTokens, TokenTip } from "./token_card.js";

/** @typedef {import("./blocks.js").Spot} Spot */
/** @typedef {import("../shared/live_text.js").Piece} Piece */
/** @typedef {import("../shared/segments.js").Source} Source */

/** A piece of the text with its drawn blocks, and the kinds of marks in it. @typedef {Piece & {drawn: DrawnBlock[], marked: import("../shared/segments.js").MarkKinds}} DrawnPiece */

/** The margin in CSS pixels between the pane's edge and a token that is scrolled to. */
const TOP_GAP = 8;

/** The number of blocks of a new text that are filled at once; after a smaller change all in view are filled, so that no frame is empty. */
const SEEN_BLOCKS = { ofChange: 8, ofText: 3 };

export class TokenPane {
  /**
   * `onOpen(index)` gets the index of a chosen token. `tip` floats beside the token under the pointer; screen readers
   * read `live`.
   * @param {{tokens: HTMLElement, tip: HTMLElement, live: HTMLElement, onOpen: (index: number) => void, onCuts: () => void} & import("./shown_tokens.js").Asked} parts
   * @param {AbortSignal} signal ends its listeners
   */
  constructor({ tokens, tip, live, onOpen, askFacts, askCuts, onCuts }, signal) {
    /** @type {HTMLElement} */
    this.root = tokens;
    this.tip = new TokenTip(tip);
    this.live = live;
    this.onOpen = onOpen;
    /** @type {DrawnPiece[]} */
    this.pieces = [];
    /** @type {import("./drawn_block.js").Manner} */
    this.manner = {
      view: { marks: false, label: "text", colorBy: "position" }, special: new Set(), template: [],
      facts: new TokenFacts(askFacts, () => this.redraw()),
      cuts: new PatternCuts({ ask: askCuts, placeOf: (block) => this.placeOf(block), onNew: (blocks) => this.redraw(blocks), onKnown: onCuts }),
    };
    /** @type {Spot | null} */
    this.lit = null;
    /** @type {Spot | null} */
    this.active = null;
    /** Whether the active token was chosen by pointer, not by keyboard. */
    this.isPointed = false;
    this.light = new Light("lit");
    this.activeLight = new Light("active");
    this.caretLight = new Light("at");
    /** The range of chosen tokens. @type {import("./blocks.js").TokenRange | null} */
    this.chosen = null;
    /** The spot at which choosing by keyboard began. @type {Spot | null} */
    this.anchor = null;
    this.onPoint = (/** @type {Spot | null} */ _spot) => {};
    this.onExtend = (/** @type {[Spot, Spot] | null} */ _spots) => {};
    /** @type {WeakMap<Element, DrawnBlock>} by its element */
    this.drawnOf = new WeakMap();
    /** @type {WeakMap<import("./blocks.js").Block, DrawnBlock>} */
    this.drawnBlock = new WeakMap();
    tokens.replaceChildren();
    // The pane scrolls on a desktop, the page on a phone; the margin applies to each.
    const margins = /** @type {IntersectionObserverInit} */ ({ rootMargin: "800px 0px", scrollMargin: "800px 0px" });
    this.observer = new IntersectionObserver((entries) => this.fillSeen(entries), margins);
    this.listen(signal);
    signal.addEventListener("abort", () => this.observer.disconnect());
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const { root } = this;
    const onFocus = () => {
      if (!this.isPointed && root.matches(":focus-visible")) this.activate(this.active ?? this.firstSpot());
    };
    const onBlur = (/** @type {FocusEvent} */ event) => {
      this.tip.hide();
      // The token of the open card keeps its outline.
      if (event.relatedTarget instanceof Element && event.relatedTarget.closest(".card")) return;
      this.isPointed = false;
      this.activeLight.show([]);
    };
    root.addEventListener("pointerover", (event) => this.point(event.target), { signal });
    root.addEventListener("pointerleave", () => this.point(null), { signal });
    root.addEventListener("click", (event) => this.open(event.target), { signal });
    root.addEventListener("keydown", (event) => this.walk(event), { signal });
    root.addEventListener("focus", onFocus, { signal });
    root.addEventListener("blur", onBlur, { signal });
    root.addEventListener("scroll", () => this.tip.hide(), { signal, passive: true });
  }

  get view() {
    return this.manner.view;
  }

  /** Show new pieces. @param {Piece[]} pieces @param {Source[]} sources @param {{special: number[], template?: [number, number][]}} marked */
  show(pieces, sources, { special, template = [] }) {
    this.manner.facts.forget();
    this.manner.cuts.forget();
    this.manner.special = new Set(special);
    this.manner.template = template;
    this.splice(0, this.pieces.length, pieces, sources);
  }

  /** Replace the pieces `first … first + nRemoved`. Tokens that stay keep their colours. @param {number} first @param {number} nRemoved @param {Piece[]} pieces @param {Source[]} sources */
  splice(first, nRemoved, pieces, sources) {
    const isFirst = this.pieces.length === 0;
    if (this.chosen) this.choose(null);
    this.anchor = null;
    const fresh = pieces.map((piece, i) => ({ ...piece, marked: kindsOfMarks(piece.marks ?? NO_MARKS), drawn: cutBlocks(piece, sources[i]).map((block) => this.draw(block)) }));
    const removed = this.pieces.splice(first, nRemoved, ...fresh).flatMap((piece) => piece.drawn);
    const added = fresh.flatMap((piece) => piece.drawn);
    linkBlocks(this.iterBlocks());
    this.manner.cuts.inherit(removed.map(({ block }) => block), added.map(({ block }) => block));
    // Blocks in view are filled at once, so that no frame is empty; of a new text only the first ones.
    const seen = added.length <= SEEN_BLOCKS.ofChange ? added : added.slice(0, SEEN_BLOCKS.ofText);
    if (isFirst || removed.some((drawn) => drawn.hasTokens)) {
      if (seen === added) keepBlockColors(removed, added);
      for (const drawn of seen) drawn.fillTokens(this.manner);
    }
    this.place(removed, added);
    const isRemoved = (/** @type {Spot | null} */ spot) => removed.some(({ block }) => block === spot?.block);
    if (isRemoved(this.active)) this.active = null;
    if (isRemoved(this.lit)) this.point(null);
    this.refreshOpenLine(added.length ? added[0].block.previous : this.pieces[first - 1]?.drawn.at(-1)?.block);
  }

  /** Draw blocks in view again; all of them after a change of the view or of special tokens. @param {import("./blocks.js").Block[]} [blocks] */
  redraw(blocks) {
    for (const drawn of blocks ? blocks.map((block) => this.drawnBlock.get(block)) : this.iterDrawn()) {
      if (!drawn?.hasTokens) continue;
      drawn.hasTokens = false;
      drawn.fillTokens(this.manner);
    }
  }

  /** The kinds of marks in the whole text. */
  get marked() {
    const some = (/** @type {"isDropped" | "isChanged" | "isInserted"} */ kind) => this.pieces.some(({ marked }) => marked[kind]);
    return { isDropped: some("isDropped"), isChanged: some("isChanged"), isInserted: some("isInserted") };
  }

  /** All ids, in order. */
  allIds() {
    return this.pieces.flatMap((piece) => Array.from(piece.ids));
  }

  /** The id of a token. @param {number} index */
  idOf(index) {
    let before = 0;
    for (const { ids } of this.pieces) {
      if (index < before + ids.length) return ids[index - before];
      before += ids.length;
    }
    return undefined;
  }

  /** The piece of a block, and the number of the piece's tokens before it. @param {import("./blocks.js").Block} block */
  placeOf(block) {
    for (const [piece, { drawn }] of this.pieces.entries()) {
      let first = 0;
      for (const one of drawn) {
        if (one.block === block) return { piece, first };
        first += one.block.ids.length;
      }
    }
    return null;
  }

  // ---- blocks

  *iterDrawn() {
    for (const piece of this.pieces) yield* piece.drawn;
  }

  *iterBlocks() {
    for (const { block } of this.iterDrawn()) yield block;
  }

  /** @param {import("./blocks.js").Block} block */
  draw(block) {
    const drawn = new DrawnBlock(block);
    this.drawnOf.set(drawn.tokens, drawn);
    this.drawnBlock.set(block, drawn);
    return drawn;
  }

  /** Insert the elements of new blocks at the place of removed ones. @param {DrawnBlock[]} removed @param {DrawnBlock[]} added */
  place(removed, added) {
    const next = added.at(-1)?.block.next, anchor = next && this.drawnBlock.get(next);
    for (const { tokens } of removed) {
      this.observer.unobserve(tokens);
      tokens.remove();
    }
    const fragment = document.createDocumentFragment();
    fragment.append(...added.map(({ tokens }) => tokens));
    this.root.insertBefore(fragment, anchor?.tokens ?? null);
    for (const { tokens } of added) this.observer.observe(tokens);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  fillSeen(entries) {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) this.drawnOf.get(target)?.fillTokens(this.manner);
    }
  }

  /** Update the token count of a line that was open before a changed block. @param {import("./blocks.js").Block | null | undefined} block */
  refreshOpenLine(block) {
    for (; block; block = block.previous) if (this.drawnBlock.get(block)?.refreshOpenLine()) return;
  }

  // ---- pointing, choosing, walking

  /** @param {EventTarget | null} target @returns {Spot | null} */
  spotAt(target) {
    const element = target instanceof Element ? target.closest(".t") : null;
    const drawn = element?.parentElement && this.drawnOf.get(element.parentElement);
    return drawn && element ? { block: drawn.block, k: [...drawn.tokens.querySelectorAll(".t")].indexOf(element) } : null;
  }

  /** The element of a spot; undefined if its block is not filled. @param {Spot} spot */
  elementOf({ block, k }) {
    return this.drawnBlock.get(block)?.tokenOf(k);
  }

  /** The element of a spot; its block is filled if needed. @param {Spot} spot */
  filledElementOf(spot) {
    this.drawnBlock.get(spot.block)?.fillTokens(this.manner);
    return this.elementOf(spot);
  }

  /** Highlight a segment and show its tip. @param {EventTarget | null} target */
  point(target) {
    const spot = this.spotAt(target);
    this.lit = spot;
    const element = spot && this.elementOf(spot);
    this.light.show(element ? [element] : []);
    if (spot && element) this.tip.show(describeSpot(spot), element);
    else this.tip.hide();
    this.onPoint(spot);
  }

  /** @param {Spot | null} spot */
  activate(spot) {
    if (!spot) return;
    this.active = spot;
    const element = this.filledElementOf(spot);
    this.activeLight.show(element ? [element] : []);
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.tip.show(describeSpot(spot), element);
    this.live.textContent = `token ${firstTokenOf(spot) + 1}: ${describeSpot(spot)}`;
  }

  /** Make the token with this index active, without a tip. @param {number} index */
  activateToken(index) {
    this.activate(spotOf(this.iterBlocks(), index));
    this.tip.hide();
  }

  /** Remove the outline from the active token, unless the keyboard moved there. */
  rest() {
    if (this.isPointed) this.activeLight.show([]);
    this.isPointed = false;
  }

  /** @param {EventTarget | null} target */
  open(target) {
    const spot = this.spotAt(target);
    if (!spot || this.selectedSpots()) return; // the reader is selecting tokens
    this.anchor = null;
    this.isPointed = true;
    this.activate(spot);
    this.onOpen(firstTokenOf(spot));
  }

  firstSpot() {
    return startOf(this.pieces[0]?.drawn[0]?.block);
  }

  lastSpot() {
    return endOf(this.pieces.at(-1)?.drawn.at(-1)?.block);
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Shift") return;
    const { active } = this;
    /** @type {Record<string, ((from: Spot) => Spot | null) | undefined>} */
    const moves = {
      ArrowRight: (from) => stepSpot(from, 1),
      ArrowLeft: (from) => stepSpot(from, -1),
      ArrowDown: (from) => stepLine(from, 1, (spot) => this.boxOf(spot)),
      ArrowUp: (from) => stepLine(from, -1, (spot) => this.boxOf(spot)),
      Home: () => this.firstSpot(),
      End: () => this.lastSpot(),
    };
    const move = moves[event.key];
    this.isPointed = false;
    if (event.key === "Enter") {
      const opened = active ?? this.firstSpot();
      if (opened) this.onOpen(firstTokenOf(opened));
    } else if (!move) return;
    else if (active) this.activate(move(active));
    else this.activate(event.key === "End" ? this.lastSpot() : this.firstSpot());
    if (move) this.extend(event.shiftKey ? (this.anchor ?? active ?? this.active) : null);
    event.preventDefault();
  }

  // ---- choosing many

  /** Start choosing tokens at a spot, or stop. @param {Spot | null} anchor */
  extend(anchor) {
    const wasExtending = this.anchor !== null;
    this.anchor = anchor;
    if (anchor && this.active) this.onExtend([anchor, this.active]);
    else if (wasExtending) this.onExtend(null);
  }

  /** The tokens in the browser's text selection. @returns {[Spot, Spot] | null} */
  selectedSpots() {
    const [first, last] = (selectedTokens(this.root) ?? []).map((token) => this.spotAt(token));
    return first && last ? [first, last] : null;
  }

  /** Highlight a range of tokens as chosen. @param {import("./blocks.js").TokenRange | null} range */
  choose(range) {
    if (!range && !this.chosen) return;
    this.chosen = range;
    let start = 0;
    for (const drawn of this.iterDrawn()) {
      const end = start + drawn.block.ids.length, isTouched = range !== null && range.first < end && range.last > start;
      drawn.choose(isTouched ? { first: range.first - start, last: range.last - start } : null);
      start = end;
    }
  }

  /** Mark the token at the text's caret. @param {Spot | null} spot */
  showCaret(spot) {
    const element = spot ? this.filledElementOf(spot) : undefined;
    this.caretLight.show(element ? [element] : []);
    if (element) reveal(element, this.root);
  }

  /** The spot at the top of the pane. @returns {Spot | null} */
  spotAtTop() {
    const drawn = [...this.iterDrawn()], { top } = this.root.getBoundingClientRect();
    const isBelow = (/** @type {Element} */ element) => (element.getClientRects()[0] ?? element.getBoundingClientRect()).bottom > top + 4;
    const seen = drawn[firstIndex(drawn.length, (i) => drawn[i].tokens.getBoundingClientRect().bottom > top + 4)];
    if (!seen) return null;
    seen.fillTokens(this.manner);
    const elements = seen.tokens.querySelectorAll(".t");
    const k = Math.min(firstIndex(elements.length, (i) => isBelow(elements[i])), elements.length - 1);
    return k < 0 ? null : { block: seen.block, k };
  }

  /** Scroll the pane until a spot is at its top. @param {Spot} spot */
  putAtTop(spot) {
    const { root } = this, element = this.filledElementOf(spot);
    // Blocks out of view have their true size only now, so the second call is exact.
    if (!element) return;
    for (let time = 0; time < 2; time++) {
      const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
      root.scrollTop += box.top - root.getBoundingClientRect().top - TOP_GAP;
    }
  }

  /** The box of a spot; its block is filled if needed. @param {Spot} spot */
  boxOf(spot) {
    return this.filledElementOf(spot)?.getClientRects()[0];
  }
}

/** Scroll a pane, but not the page around it, until an element is in view. @param {Element} element @param {HTMLElement} root */
function reveal(element, root) {
  const box = element.getClientRects()[0] ?? element.getBoundingClientRect(), { top, bottom } = root.getBoundingClientRect();
  if (box.top < top + TOP_GAP) root.scrollTop -= top + TOP_GAP - box.top;
  else if (box.bottom > bottom - TOP_GAP) root.scrollTop += box.bottom - bottom + TOP_GAP;
}

/** The first index below `n` for which a test holds, as for all later ones; `n` if there is none. @param {number} n @param {(i: number) => boolean} test */
function firstIndex(n, test) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Keep the colours of segments at both ends of an edit, and choose those in the middle. @param {DrawnBlock[]} removed @param {DrawnBlock[]} added */
function keepBlockColors(removed, added) {
  const old = removed.every(({ block }) => block.colors) ? removed.map(({ block }) => block) : [];
  const now = added.map(({ block }) => block);
  const segmentsOf = (/** @type {import("./blocks.js").Block[]} */ blocks) => blocks.flatMap((block) => block.segments);
  const kept = keepColors(
    segmentsOf(old),
    old.flatMap((block) => block.colors ?? []),
    segmentsOf(now),
    (one, other) => one.text === other.text && one.last - one.first === other.last - other.first,
  );
  let start = 0;
  for (const block of now) {
    const end = start + block.segments.length;
    block.color(kept.slice(start, end), kept[end] ?? undefined);
    start = end;
  }
}
