// Token pane: coloured segments in blocks that are filled only when they come near the view.

import { kindsOfMarks, NO_MARKS } from "../shared/segments.js";
import { keepColors, Light } from "../shared/token_strip.js";
import { cutBlocks, describeSpot, endOf, firstTokenOf, linkBlocks, spotOf, startOf, stepLine, stepSpot } from "./blocks.js";
import { DrawnBlock, TokenFacts } from "./drawn_block.js";
import { PatternCuts } from "./split_pattern.js";
import { selectedTokens, TokenTip } from "./token_card.js";

/** @typedef {import("./blocks.js").Spot} Spot */
/** @typedef {import("../shared/text_sync.js").Piece} Piece */
/** @typedef {import("../shared/segments.js").Source} Source */

/** A piece of the text with what is drawn of it, and what its tokens do not spell. @typedef {Piece & {drawn: DrawnBlock[], told: import("../shared/segments.js").MarkKinds}} DrawnPiece */

/** What is scrolled to keeps so much from the edge of its pane, in CSS pixels. */
const TOP_GAP = 8;

/** Of a new text as many blocks are filled at once; a smaller change is filled whole, or a frame would be empty. */
const SEEN_BLOCKS = { ofChange: 8, ofText: 3 };

export class TokenPane {
  /**
   * `onOpen(index)` gets the index of a chosen token. `tip` floats beside the token under the pointer; screen readers
   * read `live`.
   * @param {{tokens: HTMLElement, tip: HTMLElement, live: HTMLElement, onOpen: (index: number) => void, onCuts: () => void} & import("./shown_tokens.js").Asked} parts
   * @param {AbortSignal} signal ends it
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
    /** Whether a pointer chose the active token, not the keyboard. */
    this.isPointed = false;
    this.light = new Light("lit");
    this.activeLight = new Light("active");
    this.caretLight = new Light("at");
    /** What is chosen, of all tokens. @type {import("./blocks.js").TokenRange | null} */
    this.chosen = null;
    /** Where the keyboard began to choose. @type {Spot | null} */
    this.anchor = null;
    this.onPoint = (/** @type {Spot | null} */ _spot) => {};
    this.onExtend = (/** @type {[Spot, Spot] | null} */ _spots) => {};
    /** @type {WeakMap<Element, DrawnBlock>} by its element */
    this.drawnOf = new WeakMap();
    /** @type {WeakMap<import("./blocks.js").Block, DrawnBlock>} */
    this.drawnBlock = new WeakMap();
    tokens.replaceChildren();
    // The pane scrolls on a desktop, the page on a phone: the margin holds for every scroller on the way to the window.
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
      // Its card keeps a token in its box.
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

  /** Show everything anew. @param {Piece[]} pieces @param {Source[]} sources @param {{special: number[], template?: [number, number][]}} marked */
  show(pieces, sources, { special, template = [] }) {
    this.manner.facts.forget();
    this.manner.cuts.forget();
    this.manner.special = new Set(special);
    this.manner.template = template;
    this.splice(0, this.pieces.length, pieces, sources);
  }

  /** Replace pieces `first … first + nRemoved`; colours of tokens that stay do not change. @param {number} first @param {number} nRemoved @param {Piece[]} pieces @param {Source[]} sources */
  splice(first, nRemoved, pieces, sources) {
    const isFirst = this.pieces.length === 0;
    if (this.chosen) this.choose(null);
    this.anchor = null;
    const fresh = pieces.map((piece, i) => ({ ...piece, told: kindsOfMarks(piece.marks ?? NO_MARKS), drawn: cutBlocks(piece, sources[i]).map((block) => this.draw(block)) }));
    const removed = this.pieces.splice(first, nRemoved, ...fresh).flatMap((piece) => piece.drawn);
    const added = fresh.flatMap((piece) => piece.drawn);
    linkBlocks(this.iterBlocks());
    this.manner.cuts.inherit(removed.map(({ block }) => block), added.map(({ block }) => block));
    // What was in view is filled at once, or a frame would be empty; of a whole new text only its start.
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

  /** Draw seen blocks again, all after a change of view or of the special tokens. @param {import("./blocks.js").Block[]} [blocks] */
  redraw(blocks) {
    for (const drawn of blocks ? blocks.map((block) => this.drawnBlock.get(block)) : this.iterDrawn()) {
      if (!drawn?.hasTokens) continue;
      drawn.hasTokens = false;
      drawn.fillTokens(this.manner);
    }
  }

  /** What tokens do not spell anywhere in the text. */
  get told() {
    const some = (/** @type {"isDropped" | "isChanged" | "isInserted"} */ kind) => this.pieces.some(({ told }) => told[kind]);
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

  /** In which piece a block is, and the tokens of it that come before. @param {import("./blocks.js").Block} block */
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

  /** Put the elements of new blocks where those that are removed stood. @param {DrawnBlock[]} removed @param {DrawnBlock[]} added */
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

  /** A change further on may change the count of the line that was open before it. @param {import("./blocks.js").Block | null | undefined} block */
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

  /** The element of a spot, undefined where its block is not filled. @param {Spot} spot */
  elementOf({ block, k }) {
    return this.drawnBlock.get(block)?.tokenOf(k);
  }

  /** The element of a spot, whose block is filled for that. @param {Spot} spot */
  filledElementOf(spot) {
    this.drawnBlock.get(spot.block)?.fillTokens(this.manner);
    return this.elementOf(spot);
  }

  /** Light a segment, with a tip beside it. @param {EventTarget | null} target */
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

  /** Activate the token of this index, without a tip. @param {number} index */
  activateToken(index) {
    this.activate(spotOf(this.iterBlocks(), index));
    this.tip.hide();
  }

  /** Take the box from the active token, unless the keyboard walked there and may walk on. */
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

  /** Choose from a spot to the active one, or no longer. @param {Spot | null} anchor */
  extend(anchor) {
    const wasExtending = this.anchor !== null;
    this.anchor = anchor;
    if (anchor && this.active) this.onExtend([anchor, this.active]);
    else if (wasExtending) this.onExtend(null);
  }

  /** What the reader has selected as one selects text. @returns {[Spot, Spot] | null} */
  selectedSpots() {
    const [first, last] = (selectedTokens(this.root) ?? []).map((token) => this.spotAt(token));
    return first && last ? [first, last] : null;
  }

  /** Light these tokens as chosen. @param {import("./blocks.js").TokenRange | null} range */
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

  /** Show in which token the caret of the text stands. @param {Spot | null} spot */
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
    // What was not in view has its true size only now: the second time it stands right.
    if (!element) return;
    for (let time = 0; time < 2; time++) {
      const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
      root.scrollTop += box.top - root.getBoundingClientRect().top - TOP_GAP;
    }
  }

  /** The box of a spot, whose block is filled for that. @param {Spot} spot */
  boxOf(spot) {
    return this.filledElementOf(spot)?.getClientRects()[0];
  }
}

/** Scroll a pane, and nothing around it, until an element is in view. @param {Element} element @param {HTMLElement} root */
function reveal(element, root) {
  const box = element.getClientRects()[0] ?? element.getBoundingClientRect(), { top, bottom } = root.getBoundingClientRect();
  if (box.top < top + TOP_GAP) root.scrollTop -= top + TOP_GAP - box.top;
  else if (box.bottom > bottom - TOP_GAP) root.scrollTop += box.bottom - bottom + TOP_GAP;
}

/** The first index below `n` that a test holds for, as it does for all after it; `n` where there is none. @param {number} n @param {(i: number) => boolean} test */
function firstIndex(n, test) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Segments that stand at both ends of an edit keep their colours; the middle is chosen to differ. @param {DrawnBlock[]} removed @param {DrawnBlock[]} added */
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
