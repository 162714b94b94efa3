// Token pane: coloured segments and their ids, in blocks that are filled only when they come near the view.

import { keepColors } from "../shared/token_colors.js";
import { Light } from "../shared/token_strip.js";
import { cutBlocks, describeSpot, endOf, firstTokenOf, linkBlocks, spotOf, startOf, stepLine, stepSpot } from "./blocks.js";
import { DrawnBlock } from "./drawn_block.js";
import { TokenTip } from "./token_tip.js";

/** @typedef {import("./blocks.js").Spot} Spot */
/** @typedef {import("../shared/text_edits.js").Piece} Piece */
/** @typedef {import("../shared/segments.js").Source} Source */

/** A piece of the text with what is drawn of it. @typedef {Piece & {drawn: DrawnBlock[]}} DrawnPiece */

/** Of a new text as many blocks are filled at once; a smaller change is filled whole, or a frame would be empty. */
const SEEN_BLOCKS = { ofChange: 8, ofText: 3 };

export class TokenPane {
  /**
   * `tokens` and `ids` scroll on their own; `onOpen(index)` gets the index of a chosen token. `tip` floats beside
   * the token under the pointer, `live` is read out.
   * @param {{tokens: HTMLElement, ids: HTMLElement, tip: HTMLElement, live: HTMLElement, onOpen: (index: number) => void}} parts
   * @param {AbortSignal} signal ends it
   */
  constructor({ tokens, ids, tip, live, onOpen }, signal) {
    this.roots = { tokens, ids };
    this.tip = new TokenTip(tip);
    this.live = live;
    this.onOpen = onOpen;
    /** @type {DrawnPiece[]} */
    this.pieces = [];
    /** @type {import("./drawn_block.js").Manner} */
    this.manner = { view: { marks: false, label: "text", colorBy: "position" }, special: new Set(), template: [] };
    /** @type {Spot | null} */
    this.lit = null;
    /** @type {Spot | null} */
    this.active = null;
    /** Whether a pointer chose the active token, not the keyboard. */
    this.isPointed = false;
    this.light = new Light("lit");
    this.activeLight = new Light("active");
    /** @type {WeakMap<Element, DrawnBlock>} by both elements of a block */
    this.drawnOf = new WeakMap();
    /** @type {WeakMap<import("./blocks.js").Block, DrawnBlock>} */
    this.drawnBlock = new WeakMap();
    this.observers = { tokens: this.observe(tokens), ids: this.observe(ids) };
    for (const root of [tokens, ids]) this.listen(root, signal);
    signal.addEventListener("abort", () => {
      for (const observer of Object.values(this.observers)) observer.disconnect();
    });
  }

  /** @param {HTMLElement} root */
  observe(root) {
    root.replaceChildren();
    return new IntersectionObserver((entries) => this.fillSeen(entries), { root, rootMargin: "800px 0px" });
  }

  /** @param {HTMLElement} root @param {AbortSignal} signal */
  listen(root, signal) {
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
    root.addEventListener("click", (event) => this.choose(event.target), { signal });
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
    this.manner.special = new Set(special);
    this.manner.template = template;
    this.splice(0, this.pieces.length, pieces, sources);
  }

  /** Replace pieces `first … first + nRemoved`; colours of tokens that stay do not change. @param {number} first @param {number} nRemoved @param {Piece[]} pieces @param {Source[]} sources */
  splice(first, nRemoved, pieces, sources) {
    const isFirst = this.pieces.length === 0;
    const fresh = pieces.map((piece, i) => ({ ...piece, drawn: cutBlocks(piece, sources[i]).map((block) => this.draw(block)) }));
    const removed = this.pieces.splice(first, nRemoved, ...fresh).flatMap((piece) => piece.drawn);
    const added = fresh.flatMap((piece) => piece.drawn);
    linkBlocks(this.iterBlocks());
    // What was in view is filled at once, or a frame would be empty; of a whole new text only its start.
    const seen = added.length <= SEEN_BLOCKS.ofChange ? added : added.slice(0, SEEN_BLOCKS.ofText);
    if (isFirst || removed.some((drawn) => drawn.hasTokens)) {
      if (seen === added) keepBlockColors(removed, added);
      for (const drawn of seen) drawn.fillTokens(this.manner);
    }
    if (isFirst || removed.some((drawn) => drawn.hasIds)) for (const drawn of seen) drawn.fillIds();
    this.place(removed, added);
    const isRemoved = (/** @type {Spot | null} */ spot) => removed.some(({ block }) => block === spot?.block);
    if (isRemoved(this.active)) this.active = null;
    if (isRemoved(this.lit)) this.point(null);
    this.refreshOpenLine(added.length ? added[0].block.previous : this.pieces[first - 1]?.drawn.at(-1)?.block);
  }

  /** Draw all seen blocks again, after a change of view or of the special tokens. */
  redraw() {
    for (const drawn of this.iterDrawn()) {
      if (!drawn.hasTokens) continue;
      drawn.hasTokens = false;
      drawn.fillTokens(this.manner);
    }
  }

  /** All ids, in order. */
  allIds() {
    return this.pieces.flatMap((piece) => Array.from(piece.ids));
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
    this.drawnOf.set(drawn.tokens, drawn).set(drawn.ids, drawn);
    this.drawnBlock.set(block, drawn);
    return drawn;
  }

  /** Put the elements of new blocks where those that are removed stood. @param {DrawnBlock[]} removed @param {DrawnBlock[]} added */
  place(removed, added) {
    const next = added.at(-1)?.block.next, anchor = next && this.drawnBlock.get(next);
    for (const side of /** @type {const} */ (["tokens", "ids"])) {
      for (const drawn of removed) {
        this.observers[side].unobserve(drawn[side]);
        drawn[side].remove();
      }
      const fragment = document.createDocumentFragment();
      fragment.append(...added.map((drawn) => drawn[side]));
      this.roots[side].insertBefore(fragment, anchor?.[side] ?? null);
      for (const drawn of added) this.observers[side].observe(drawn[side]);
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  fillSeen(entries) {
    for (const { isIntersecting, target } of entries) {
      const drawn = this.drawnOf.get(target);
      if (!isIntersecting || !drawn) continue;
      if (target === drawn.ids) drawn.fillIds();
      else drawn.fillTokens(this.manner);
    }
  }

  /** A change further on may change the count of the line that was open before it. @param {import("./blocks.js").Block | null | undefined} block */
  refreshOpenLine(block) {
    for (; block; block = block.previous) if (this.drawnBlock.get(block)?.refreshOpenLine()) return;
  }

  // ---- pointing, choosing, walking

  /** @param {EventTarget | null} target @returns {Spot | null} */
  spotAt(target) {
    const element = target instanceof Element ? target.closest(".t, .i") : null;
    const drawn = element?.parentElement && this.drawnOf.get(element.parentElement);
    if (!drawn || !element) return null;
    const all = element.matches(".t") ? drawn.tokens.querySelectorAll(".t") : drawn.ids.querySelectorAll(".i");
    return { block: drawn.block, k: [...all].indexOf(element) };
  }

  /** The elements of a spot on those sides where its block is filled. @param {Spot} spot */
  elementsOf({ block, k }) {
    return this.drawnBlock.get(block)?.elementsOf(k) ?? [];
  }

  /** Light a segment and its ids, with a tip beside the one that is pointed at. @param {EventTarget | null} target */
  point(target) {
    const spot = this.spotAt(target);
    this.lit = spot;
    this.light.show(spot ? this.elementsOf(spot) : []);
    if (spot && target instanceof Element) this.tip.show(describeSpot(spot), target.closest(".t, .i") ?? target);
    else this.tip.hide();
  }

  /** @param {Spot | null} spot */
  activate(spot) {
    if (!spot) return;
    const drawn = this.drawnBlock.get(spot.block);
    drawn?.fillTokens(this.manner);
    drawn?.fillIds();
    this.active = spot;
    const elements = this.elementsOf(spot);
    this.activeLight.show(elements);
    for (const element of elements) element.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.tip.show(describeSpot(spot), elements[0]);
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
  }

  /** @param {EventTarget | null} target */
  choose(target) {
    const spot = this.spotAt(target);
    if (!spot || window.getSelection()?.isCollapsed === false) return; // the reader is selecting text
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
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { active } = this, isIds = event.currentTarget === this.roots.ids;
    /** @type {Record<string, (from: Spot) => Spot | null>} */
    const moves = {
      ArrowRight: (from) => stepSpot(from, 1),
      ArrowLeft: (from) => stepSpot(from, -1),
      ArrowDown: (from) => stepLine(from, 1, (spot) => this.boxOf(spot, isIds)),
      ArrowUp: (from) => stepLine(from, -1, (spot) => this.boxOf(spot, isIds)),
      Home: () => this.firstSpot(),
      End: () => this.lastSpot(),
    };
    const move = moves[event.key];
    this.isPointed = false;
    if (event.key === "Enter" && active) this.onOpen(firstTokenOf(active));
    else if (!move) return;
    else if (active) this.activate(move(active));
    else this.activate(event.key === "End" ? this.lastSpot() : this.firstSpot());
    event.preventDefault();
  }

  /** Where a spot is drawn; its block is filled for that. @param {Spot} spot @param {boolean} isIds */
  boxOf({ block, k }, isIds) {
    const drawn = this.drawnBlock.get(block);
    drawn?.fillTokens(this.manner);
    drawn?.fillIds();
    return (isIds ? drawn?.idsOf(k) : drawn?.tokenOf(k))?.getClientRects()[0];
  }
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
