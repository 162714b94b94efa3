// One text of the page: its tokens, coloured by what the model expected, and its headline.

import { dataOf, element, fillKept } from "../shared/element.js";
import { makeSegments } from "../shared/segments.js";
import { count, shownText, unitOf } from "../shared/wording.js";
import { NEARLY_CERTAIN, shadeOf, shownBits } from "./bits.js";

/** @typedef {import("./reading_requests.js").Answer} Answer */
/** Whole characters of the text, as tokens `first` to `last` spell them. @typedef {import("../shared/segments.js").Segment} Segment */
/** A place that can be chosen: a segment of the text, or the place after its end. @typedef {Segment | "next"} Place */

/** A token as it is drawn; where it is cut, its start in the text and the cuts in it. @typedef {{text: string, kind: string, shade: number, start?: number, cuts?: number[]}} Token */
/** What follows the tokens. @typedef {{rest: string, isOver: boolean}} End */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export class Side {
  /**
   * `onChoose` runs for a place that is pointed at, focused or clicked; `onNext` for a click on what comes next;
   * `onGap` for a click between two letters, where the side is cut.
   * @param {HTMLElement} headline @param {HTMLElement} box @param {AbortSignal} signal
   * @param {{onChoose: (side: Side, isClick: boolean) => void, onNext: () => void, onGap: (at: number) => void}} use
   */
  constructor(headline, box, signal, use) {
    this.headline = headline;
    this.box = box;
    this.use = use;
    this.text = "";
    /** @type {Answer | null} */
    this.answer = null;
    /** @type {Segment[]} */
    this.segments = [];
    /** @type {Place} */
    this.place = "next";
    /** @type {number[] | null} places of cuts; null for a side that is not cut */
    this.cuts = null;
    this.caret = 0;
    box.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.point(event, false), { signal });
    box.addEventListener("pointermove", (event) => this.showGap(event), { signal });
    box.addEventListener("pointerleave", () => this.markGap(-1), { signal });
    box.addEventListener("click", (event) => this.click(event), { signal });
    box.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  /** The number of tokens that are read. */
  get nRead() {
    return this.answer ? Math.min(this.answer.expected.length, this.answer.ids.length) : 0;
  }

  /** The bits of all tokens that are read, but of the first, which has nothing before it. */
  get nBits() {
    return this.answer ? this.answer.expected.slice(1, this.nRead).reduce((sum, { bits }) => sum + bits, 0) : 0;
  }

  /** @param {Answer | null} answer @param {string} text @param {number[] | null} cuts */
  show(answer, text, cuts) {
    const isSame = this.text === text;
    Object.assign(this, { answer, text, cuts });
    this.segments = answer ? makeSegments(text, answer.lengths) : [];
    if (!isSame || this.place === "next") this.place = "next";
    else this.place = this.segments.find(({ first }) => this.place !== "next" && first === this.place.first) ?? "next";
    this.draw();
    this.tell();
  }

  /** Say that the text is being read. */
  wait() {
    this.headline.dataset.waits = "";
    if (!this.answer) this.headline.textContent = "Loading the model, which takes seconds the first time, and reading …";
  }

  tell() {
    const { answer, headline } = this;
    delete headline.dataset.waits;
    if (!answer || !answer.ids.length) return headline.replaceChildren();
    const { ids, expected, is_over, n_left_out, model } = answer;
    const nCertain = expected.slice(1, this.nRead).filter(({ bits }) => bits < NEARLY_CERTAIN).length;
    const parts = [number(ids.length + n_left_out), ` ${unitOf(ids.length + n_left_out, "token")} · `, number(shownBits(this.nBits)), " bits · ", number(nCertain), " all but certain "];
    const by = element("span", "by", model);
    if (!is_over) by.textContent = `${model} has read ${count(this.nRead)} of ${count(ids.length)} …`;
    else if (n_left_out) by.textContent = `${model} has read the first ${count(ids.length)}; the bits are theirs`;
    headline.replaceChildren(...parts, by);
  }

  draw() {
    const { answer, box } = this;
    if (!answer) return fillKept(box, [], this.makeEnd);
    let at = 0;
    const tokens = this.segments.map((segment) => {
      const start = at;
      at += segment.text.length;
      const cuts = this.cuts?.filter((cut) => cut >= start && cut < at);
      return { text: segment.text, kind: this.kindOf(segment), shade: this.shadeOf(segment), ...(cuts && { start, cuts }) };
    });
    const end = { rest: answer.n_left_out ? this.text.slice(at) : "", isOver: answer.is_over };
    fillKept(box, [...tokens, end], (item) => ("text" in item ? makeToken(item) : this.makeEnd(item)));
    [...box.children].forEach((child, i) => child instanceof HTMLElement && (child.dataset.i = String(i)));
    this.mark();
  }

  /** @param {Segment} segment */
  bitsOf({ first, last }) {
    return this.answer?.expected.slice(first, Math.min(last, this.nRead)).reduce((sum, { bits }) => sum + bits, 0) ?? 0;
  }

  /** @param {Segment} segment */
  kindOf({ first, last }) {
    return first === 0 ? "first" : last > this.nRead ? "unread" : "";
  }

  /** @param {Segment} segment */
  shadeOf(segment) {
    return this.kindOf(segment) ? 0 : Number(shadeOf(this.bitsOf(segment)).toFixed(2));
  }

  /** What follows the tokens: text over the limit, or the chip for the next token. @param {End} end */
  makeEnd({ rest, isOver }) {
    if (rest) return element("span", "rest", shownText(rest, false));
    const chip = element("span", "next", isOver ? "?" : "…");
    if (isOver) chip.title = this.cuts ? "What comes next" : "What comes next; click to type the likeliest token";
    return chip;
  }

  // ---- choosing

  /** @param {Place} place @param {boolean} isClick */
  choose(place, isClick) {
    this.place = place;
    this.mark();
    this.use.onChoose(this, isClick);
  }

  /** Mark the chosen place. */
  mark() {
    const i = this.place === "next" ? this.segments.length : this.segments.indexOf(this.place);
    for (const marked of this.box.querySelectorAll(".at")) marked.classList.remove("at");
    this.box.children[i]?.classList.add("at");
  }

  /** @param {Event} event @param {boolean} isClick */
  point(event, isClick) {
    const i = dataOf(event, "i");
    if (i !== undefined) this.choose(this.segments[Number(i)] ?? "next", isClick);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const gap = this.gapAt(event);
    if (gap >= 0) this.use.onGap(gap);
    else {
      this.point(event, true);
      if (/** @type {Element} */ (event.target).closest(".next") && this.answer?.is_over) this.use.onNext();
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step && this.cuts) {
      const ends = [...this.box.querySelectorAll(".letter")].map((letter) => Number(/** @type {HTMLElement} */ (letter).dataset.end));
      const gaps = ends.slice(0, -1), now = gaps.indexOf(this.caret);
      this.markGap(gaps[Math.min(Math.max(now < 0 ? 0 : now + step, 0), gaps.length - 1)] ?? -1);
    } else if (step) {
      const now = this.place === "next" ? this.segments.length : this.segments.indexOf(this.place);
      this.choose(this.segments[Math.max(now + step, 0)] ?? "next", true);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.cuts && this.caret > 0) this.use.onGap(this.caret);
      else if (!this.cuts && this.place === "next" && this.answer?.is_over) this.use.onNext();
    } else return;
    event.preventDefault();
  }

  // ---- gaps between letters

  /** The gap nearest to the pointer, in UTF-16 units; -1 for none. @param {MouseEvent} event */
  gapAt(event) {
    const letter = this.cuts && event.target instanceof Element ? event.target.closest(".letter") : null;
    if (!(letter instanceof HTMLElement)) return -1;
    const { left, width } = letter.getBoundingClientRect();
    const gap = Number(event.clientX < left + width / 2 ? letter.dataset.at : letter.dataset.end);
    return gap > 0 && gap < this.text.length ? gap : -1;
  }

  /** @param {PointerEvent} event */
  showGap(event) {
    if (this.cuts) this.markGap(this.gapAt(event));
  }

  /** Show a caret in a gap; -1 for none. @param {number} gap */
  markGap(gap) {
    this.caret = gap;
    for (const letter of this.box.querySelectorAll(".letter.gap")) letter.classList.remove("gap");
    this.box.querySelector(`.letter[data-at="${gap}"]`)?.classList.add("gap");
  }
}

/** @param {Token} token */
function makeToken({ text, kind, shade, start, cuts }) {
  const token = element("span", ["token", kind, text.includes("\n") ? "ends" : ""].filter(Boolean).join(" "));
  token.style.setProperty("--shade", String(shade));
  if (start === undefined || !cuts) {
    token.textContent = shown(text);
    return token;
  }
  for (const { segment: letter, index } of graphemes.segment(text)) {
    const at = start + index, made = element("span", cuts.includes(at) ? "letter forced" : "letter", /\S/.test(text) && letter === " " ? " " : shown(letter));
    made.dataset.at = String(at);
    made.dataset.end = String(at + letter.length);
    token.append(made);
  }
  return token;
}

/** A text with visible signs where it is white space alone, and at its line ends. @param {string} text */
const shown = (text) => (/^\s+$/.test(text) ? shownText(text, true) : shownText(text, false)).replaceAll(/(?<!⏎)\n/g, "⏎\n");

/** @param {string | number} value */
const number = (value) => element("b", "", typeof value === "number" ? count(value) : value);
