// Linked panes: what is chosen in the text is lit in the tokens, and the other way round; the panes scroll together.

import { firstTokenOf } from "./blocks.js";
import { spotAtCaret, stretchOf, tokensIn } from "./places.js";
import { ScrollLink } from "./scroll_link.js";
import { TextLight } from "./text_light.js";
import { TextLines } from "./text_lines.js";

/** @typedef {import("./blocks.js").Spot} Spot */
/** @typedef {import("./places.js").TokenRange} TokenRange */
/** @typedef {import("./places.js").Stretch} Stretch */

/** After this pause of the keyboard what is chosen is shown: typing never waits for it. While a pointer drags, so often. */
const PAUSE_MS = 150, DRAG_MS = 60;

/**
 * What is linked: `getText` is the text as it is shown in tokens, null where there is none to link or where the
 * tokens are not yet those of what was typed; `onChosen` gets how many tokens are chosen, 0 for none.
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
    /** Whether what is chosen was chosen among the tokens. */
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
    pane.roots.tokens.addEventListener("pointermove", onMove, { signal });
    document.addEventListener("selectionchange", follow, { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    pane.onPoint = (/** @type {Spot | null} */ spot) => this.point(spot);
    pane.onExtend = (/** @type {[Spot, Spot] | null} */ spots) => (spots ? this.chooseSpots(spots) : this.letGo());
    pane.roots.tokens.addEventListener("copy", (/** @type {ClipboardEvent} */ event) => this.copy(event), { signal });
    const { tokens, ids } = pane.roots;
    const sides = [
      { element: area, read: () => this.topOfText(), write: (/** @type {Spot} */ spot) => this.scrollText(spot) },
      { element: tokens, read: () => pane.spotAtTop("tokens"), write: (/** @type {Spot} */ spot) => pane.putAtTop(spot, "tokens") },
      { element: ids, read: () => pane.spotAtTop("ids"), write: (/** @type {Spot} */ spot) => pane.putAtTop(spot, "ids") },
    ];
    this.scrolling = new ScrollLink(sides, signal, () => this.use.getText() !== null);
  }

  get isTextFocused() {
    return /** @type {ShadowRoot} */ (this.root.getRootNode()).activeElement === this.area;
  }

  /** Show in a moment what is chosen now. */
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
    if (this.use.pane.anchor && !this.isTextFocused) return; // the keyboard chooses there
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

  /** What is selected in the textarea, as a stretch of the text as it came. @returns {Stretch} */
  stretchOfArea() {
    const { source } = this.use.field, { selectionStart, selectionEnd } = this.area;
    const from = source.toText(selectionStart);
    return { from, to: selectionEnd === selectionStart ? from : source.toText(selectionEnd) };
  }

  /** Choose all tokens from one spot to another; the text is lit too. @param {[Spot, Spot]} spots */
  chooseSpots(spots) {
    const [start, end] = spots.toSorted((one, other) => firstTokenOf(one) - firstTokenOf(other));
    const first = firstTokenOf(start), last = firstTokenOf(end) + end.block.idsOf(end.k).length;
    const stretch = this.use.getText() === null ? null : this.stretchBetween(start, end);
    this.isOfTokens = true;
    this.use.pane.showCaret(null);
    this.choose({ first, last }, stretch);
    // What is chosen here is selected there too: the text field has it when it gets the focus.
    if (stretch) this.area.setSelectionRange(...this.inView(stretch));
  }

  /** @param {Spot} start @param {Spot} end @returns {Stretch | null} */
  stretchBetween(start, end) {
    const blocks = [...this.use.pane.iterBlocks()], one = stretchOf(blocks, start), other = stretchOf(blocks, end);
    return one && other && { from: one.from, to: other.to };
  }

  /** Nothing is chosen among the tokens any longer, and so nothing of the text. */
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

  /** The text of a token that is pointed at is lit, unless a choice is. @param {Spot | null} spot */
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

  /** Copy the text of the tokens, not what is drawn of it. @param {ClipboardEvent} event */
  copy(event) {
    const spots = this.use.pane.selectedSpots(), text = this.use.getText();
    const stretch = spots && text !== null ? this.stretchBetween(spots[0], spots[1]) : null;
    if (!stretch || text === null) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text.slice(stretch.from, stretch.to));
  }

  /** Select the next place where a word stands alone, from the caret on and then from the start. @param {string} word */
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
