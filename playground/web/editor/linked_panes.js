// Links the text and the token panes: a selection in one is highlighted in the other, and the panes scroll together.

import { element } from "../shared/element.js";
import { firstTokenOf, spotAtCaret, stretchOf, tokensIn } from "./blocks.js";

/** @typedef {import("./blocks.js").Spot} Spot */
/** @typedef {import("./blocks.js").TokenRange} TokenRange */
/** @typedef {import("./blocks.js").Stretch} Stretch */

/** Milliseconds from the last key to the highlight, so that typing doesn't wait for it, and between highlights while the pointer drags. */
const PAUSE_MS = 150, DRAG_MS = 60;

/**
 * The linked elements: `getText` is the text as its tokens show it, null if there is none to link or the tokens are
 * older than the text; `onChosen` gets the number of chosen tokens.
 * @typedef {{field: import("../shared/text_field.js").TextField, pane: import("./token_pane.js").TokenPane,
 *   getText: () => string | null, onChosen: (nTokens: number) => void}} LinkUse
 */

export class LinkedPanes {
  /** @param {HTMLElement} root @param {AbortSignal} signal @param {LinkUse} use */
  constructor(root, signal, use) {
    this.root = root;
    this.use = use;
    const { field: { area }, pane } = use;
    this.area = area;
    this.lines = new TextLines(area);
    this.light = new TextLight(this.lines, signal);
    /** Whether the selection was made in the token pane. */
    this.isOfTokens = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.isDragging = false;
    const follow = () => this.follow();
    const onMove = (/** @type {PointerEvent} */ event) => {
      this.isDragging = event.buttons > 0;
      if (this.isDragging) this.follow();
    };
    for (const name of ["keyup", "pointerup", "select", "focus", "blur"]) area.addEventListener(name, follow, { signal });
    area.addEventListener("pointermove", onMove, { signal });
    pane.root.addEventListener("pointermove", onMove, { signal });
    document.addEventListener("selectionchange", follow, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    pane.onPoint = (/** @type {Spot | null} */ spot) => this.point(spot);
    pane.onExtend = (/** @type {[Spot, Spot] | null} */ spots) => (spots ? this.chooseSpots(spots) : this.letGo());
    pane.root.addEventListener("copy", (/** @type {ClipboardEvent} */ event) => this.copy(event), { signal });
    const sides = [
      { element: area, read: () => this.topOfText(), write: (/** @type {Spot} */ spot) => this.scrollText(spot) },
      { element: pane.root, read: () => pane.spotAtTop(), write: (/** @type {Spot} */ spot) => pane.putAtTop(spot) },
    ];
    this.scrolling = new ScrollLink(sides, signal, () => this.use.getText() !== null);
  }

  get isTextFocused() {
    return /** @type {ShadowRoot} */ (this.root.getRootNode()).activeElement === this.area;
  }

  /** Highlight the selection soon. */
  follow() {
    if (this.isDragging && this.timer !== undefined) return;
    clearTimeout(this.timer);
    const show = () => {
      this.timer = undefined;
      this.show();
    };
    this.timer = setTimeout(show, this.isDragging ? DRAG_MS : PAUSE_MS);
  }

  show() {
    const inTokens = this.isTextFocused ? null : this.use.pane.selectedSpots();
    if (inTokens) return this.chooseSpots(inTokens);
    if (this.use.pane.anchor && !this.isTextFocused) return; // the keyboard chooses tokens there
    if (this.isOfTokens && !this.isTextFocused) return this.letGo();
    this.isOfTokens = false;
    const stretch = this.use.getText() === null ? null : this.stretchOfArea();
    if (!stretch || (this.isTextFocused && stretch.from === stretch.to)) {
      this.choose(null, null);
      this.use.pane.showCaret(stretch && spotAtCaret(this.use.pane.iterBlocks(), stretch.from));
    } else {
      this.use.pane.showCaret(null);
      this.choose(tokensIn(this.use.pane.iterBlocks(), stretch), this.isTextFocused ? null : stretch);
    }
  }

  /** The selection of the textarea as a range of the source text. @returns {Stretch} */
  stretchOfArea() {
    const { source } = this.use.field, { selectionStart, selectionEnd } = this.area;
    const from = source.toText(selectionStart);
    return { from, to: selectionEnd === selectionStart ? from : source.toText(selectionEnd) };
  }

  /** Choose all tokens from one spot to another, and highlight their text. @param {[Spot, Spot]} spots */
  chooseSpots(spots) {
    const [start, end] = spots.toSorted((one, other) => firstTokenOf(one) - firstTokenOf(other));
    const first = firstTokenOf(start), last = firstTokenOf(end) + end.block.idsOf(end.k).length;
    const stretch = this.use.getText() === null ? null : this.stretchBetween(start, end);
    this.isOfTokens = true;
    this.use.pane.showCaret(null);
    this.choose({ first, last }, stretch);
    // The text is also selected in the text field, for the time when it gets the focus.
    if (stretch) this.area.setSelectionRange(...this.inView(stretch));
  }

  /** @param {Spot} start @param {Spot} end @returns {Stretch | null} */
  stretchBetween(start, end) {
    const blocks = [...this.use.pane.iterBlocks()], one = stretchOf(blocks, start), other = stretchOf(blocks, end);
    return one && other && { from: one.from, to: other.to };
  }

  /** Clear the selection of tokens, and the highlight in the text. */
  letGo() {
    this.isOfTokens = false;
    this.area.setSelectionRange(this.area.selectionEnd, this.area.selectionEnd);
    this.choose(null, null);
  }

  /** @param {TokenRange | null} range @param {Stretch | null} lit in the text, where it does not light itself */
  choose(range, lit) {
    this.use.pane.choose(range);
    this.use.onChosen(range ? range.last - range.first : 0);
    this.light.show(lit && this.stretchInView(lit));
  }

  /** Highlight the text of the token under the pointer, unless tokens are selected. @param {Spot | null} spot */
  point(spot) {
    if (this.use.pane.chosen || (spot && this.use.getText() === null)) return;
    const stretch = spot && stretchOf(this.use.pane.iterBlocks(), spot);
    this.light.show(stretch && this.stretchInView(stretch));
  }

  /** @param {Stretch} stretch @returns {[from: number, to: number]} */
  inView({ from, to }) {
    const { source } = this.use.field;
    return [source.toView(from), source.toView(to)];
  }

  /** @param {Stretch} stretch of the text @returns {Stretch} of what the textarea has of it */
  stretchInView(stretch) {
    const [from, to] = this.inView(stretch);
    return { from, to };
  }

  /** Copy the text of the selected tokens, or their ids if the pane shows ids. @param {ClipboardEvent} event */
  copy(event) {
    const { pane } = this.use, spots = pane.selectedSpots(), text = this.use.getText();
    const stretch = spots && text !== null ? this.stretchBetween(spots[0], spots[1]) : null;
    if (!spots || !stretch || text === null) return;
    const ids = () => pane.allIds().slice(firstTokenOf(spots[0]), firstTokenOf(spots[1]) + spots[1].block.idsOf(spots[1].k).length).join(", ");
    event.preventDefault();
    event.clipboardData?.setData("text/plain", pane.view.label === "ids" ? ids() : text.slice(stretch.from, stretch.to));
  }

  /** Select the next occurrence of a word, after the caret and then from the start. @param {string} word */
  findNext(word) {
    const { value } = this.area, isSpace = (/** @type {string | undefined} */ unit) => unit === undefined || /\s/.test(unit);
    const find = (/** @type {number} */ from) => {
      let at = value.indexOf(word, from);
      while (at !== -1 && !(isSpace(value[at - 1]) && isSpace(value[at + word.length]))) at = value.indexOf(word, at + 1);
      return at;
    };
    const next = find(this.area.selectionEnd), at = next === -1 ? find(0) : next;
    if (at === -1) return;
    this.area.focus();
    this.area.scrollIntoView({ block: "nearest" });
    this.area.setSelectionRange(at, at + word.length);
    this.lines.scrollTo(at);
    const spot = this.use.getText() === null ? null : spotAtCaret(this.use.pane.iterBlocks(), this.use.field.source.toText(at) + 1);
    if (spot) this.use.pane.putAtTop(spot);
    this.follow();
  }

  // ---- scrolling

  topOfText() {
    const line = this.lines.firstLine();
    return line && spotAtCaret(this.use.pane.iterBlocks(), this.use.field.source.toText(line.from) + 1);
  }

  /** @param {Spot} spot */
  scrollText(spot) {
    const stretch = stretchOf(this.use.pane.iterBlocks(), spot);
    if (stretch) this.lines.scrollTo(this.use.field.source.toView(stretch.from));
  }
}

/** A pane: the element that scrolls, a function that reads the spot at its top, and one that scrolls to a spot. @typedef {{element: HTMLElement, read: () => Spot | null, write: (spot: Spot) => void}} Side */

/** A pane that follows slowly waits until the scrolling stops. */
const SLOW_MS = 8, REST_MS = 120;

/** Scrolls panes of the same tokens together; the pane that the reader scrolls leads. */
export class ScrollLink {
  /** @param {Side[]} sides @param {AbortSignal} signal ends it @param {() => boolean} isLinked asked before each step */
  constructor(sides, signal, isLinked) {
    this.sides = sides;
    this.isLinked = isLinked;
    /** @type {Side | null} */
    this.leader = null;
    this.isAsked = false;
    this.isSlow = false;
    /** Changes with the leading pane, so that scrolling begun for an earlier one stops. */
    this.turn = 0;
    for (const side of sides) {
      const lead = () => {
        if (this.leader !== side) this.turn++;
        this.leader = side;
      };
      for (const name of ["wheel", "pointerdown", "touchstart", "keydown"]) side.element.addEventListener(name, lead, { signal, passive: true });
      side.element.addEventListener("scroll", () => this.leader === side && this.ask(), { signal, passive: true });
    }
  }

  /** The other panes follow at the next frame, or when scrolling stops. */
  ask() {
    if (this.isSlow) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.follow(), REST_MS);
    } else if (!this.isAsked) {
      this.isAsked = true;
      requestAnimationFrame(() => this.follow());
    }
  }

  follow() {
    this.isAsked = false;
    const { leader } = this;
    if (!leader || !this.isLinked()) return;
    const start = performance.now(), others = this.sides.filter((side) => side !== leader), end = edgeOf(leader.element);
    const spot = end ? null : leader.read(), turn = ++this.turn;
    for (const { element: pane, write } of others) {
      if (end) putAtEnd(pane, end, () => turn === this.turn);
      else if (spot && pane.clientHeight) write(spot);
    }
    this.isSlow = performance.now() - start > SLOW_MS;
  }
}

/** The most corrections of a scroll to the end, whose content may be taller than estimated. */
const MAX_TIMES = 5;

/** @param {HTMLElement} pane @param {"top" | "bottom"} end @param {() => boolean} isDue asked before each further time */
function putAtEnd(pane, end, isDue, times = MAX_TIMES) {
  pane.scrollTop = end === "top" ? 0 : pane.scrollHeight;
  if (times > 0) requestAnimationFrame(() => edgeOf(pane) === end || (isDue() && putAtEnd(pane, end, isDue, times - 1)));
}

/** The end to which a pane is scrolled, if any; all panes reach their ends together. @param {HTMLElement} element @returns {"top" | "bottom" | null} */
function edgeOf({ scrollTop, scrollHeight, clientHeight }) {
  if (scrollTop <= 1) return "top";
  return scrollTop + clientHeight >= scrollHeight - 1 ? "bottom" : null;
}

/** The most steps to find a line; a step doesn't change the layout. */
const MAX_LOOKS = 12;

/** Finds the lines of a textarea by asking the browser, without laying its text out a second time. */
class TextLines {
  /** @param {HTMLTextAreaElement} area */
  constructor(area) {
    this.area = area;
  }

  /** Lengths in CSS pixels, and the position of the text on the screen. */
  measure() {
    const { area } = this, style = getComputedStyle(area), box = area.getBoundingClientRect();
    const side = parseFloat(style.paddingLeft), left = box.left + area.clientLeft;
    const [padding, lineHeight] = [style.paddingTop, style.lineHeight].map(parseFloat);
    return { lineHeight, padding, left: left + side + 1, right: left + area.clientWidth - side - 1, top: box.top + area.clientTop };
  }

  /** The range of the line drawn at this height of the screen, or null. @param {number} y @param {{left: number, right: number}} sides */
  lineAt(y, { left, right }) {
    const { area } = this, root = area.getRootNode(), shadowRoots = root instanceof ShadowRoot ? [root] : [];
    const places = [left, right].map((x) => document.caretPositionFromPoint?.(x, y, { shadowRoots }));
    const offsets = places.filter((place) => place?.offsetNode === area).map((place) => Number(place?.offset));
    // A right-to-left line begins at its right.
    return offsets.length ? { from: Math.min(...offsets), to: Math.max(...offsets) } : null;
  }

  /** The first or last visible line, and its distance from the top of the textarea; lines behind other elements, such as the page's bar, are not visible. @param {"first" | "last"} which */
  seenLine(which) {
    const sides = this.measure(), { lineHeight, padding, top } = sides, { scrollTop, clientHeight } = this.area;
    const start = padding + Math.max(0, Math.ceil((scrollTop - padding) / lineHeight - 0.5)) * lineHeight - scrollTop;
    const nLines = Math.max(1, Math.floor((clientHeight - start) / lineHeight + 0.5));
    for (let i = 0; i < nLines; i++) {
      const y = start + (which === "first" ? i : nLines - 1 - i) * lineHeight, line = this.lineAt(top + y + lineHeight / 2, sides);
      if (line) return { ...line, y };
    }
    return null;
  }

  firstLine() {
    return this.seenLine("first");
  }

  /** The text in view, and the position of its first line. */
  view() {
    const first = this.seenLine("first"), last = first && this.seenLine("last");
    return first && last && { from: first.from, to: last.to, y: first.y };
  }

  /** Scroll to the line that contains a position. @param {number} offset */
  scrollTo(offset) {
    const { area } = this, { lineHeight } = this.measure();
    let low = 0, high = area.scrollHeight - area.clientHeight, lowOffset = 0, highOffset = area.value.length;
    for (let look = 0; look < MAX_LOOKS && low < high; look++) {
      const share = look % 3 === 2 ? 0.5 : (offset - lowOffset) / Math.max(highOffset - lowOffset, 1);
      const at = Math.min(Math.max(low + (high - low) * share, low), high);
      area.scrollTop = Math.round(at / lineHeight) * lineHeight;
      const line = this.firstLine();
      if (!line || (line.from <= offset && offset <= line.to)) return;
      if (line.to < offset) [low, lowOffset] = [Math.max(area.scrollTop, low) + lineHeight, line.to];
      else [high, highOffset] = [Math.min(area.scrollTop, high) - lineHeight, line.from];
    }
  }
}

/** Highlights a range of a textarea's text while the textarea has no focus and so shows no selection. */
class TextLight {
  /** @param {TextLines} lines @param {AbortSignal} signal */
  constructor(lines, signal) {
    this.lines = lines;
    this.element = element("div", "text-light");
    this.element.setAttribute("aria-hidden", "true");
    this.element.hidden = true;
    /** @type {Stretch | null} */
    this.stretch = null;
    const { area } = lines;
    area.after(this.element);
    area.addEventListener("scroll", () => this.stretch && this.show(this.stretch), { signal, passive: true });
  }

  /** Highlight a range, null for none. Only the part in view is laid out. @param {Stretch | null} stretch */
  show(stretch) {
    this.stretch = stretch;
    const { area } = this.lines, seen = stretch && this.lines.view();
    const from = stretch && seen ? Math.max(stretch.from, seen.from) : 0, to = stretch && seen ? Math.min(stretch.to, seen.to) : 0;
    this.element.hidden = from >= to;
    if (!seen || from >= to) return;
    // The lines are the textarea's: the copy begins where one of its lines begins.
    const text = element("div"), { style } = this.element;
    text.style.top = `${seen.y}px`;
    text.append(area.value.slice(seen.from, from), element("mark", "", area.value.slice(from, to)), area.value.slice(to, seen.to));
    this.element.replaceChildren(text);
    for (const [name, length] of Object.entries({
      left: area.offsetLeft + area.clientLeft, top: area.offsetTop + area.clientTop, width: area.clientWidth, height: area.clientHeight,
    })) style.setProperty(name, `${length}px`);
  }
}
