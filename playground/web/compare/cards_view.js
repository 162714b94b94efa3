// The plain view: a card for each row, with its tokens as a strip.

import { element } from "../shared/element.js";
import { counted } from "../shared/numbers.js";
import { N_COLORS } from "../shared/token_colors.js";
import { layTokens, Light, makeDropped, makeToken } from "../shared/token_strip.js";
import { blockEnds, iterColumns, kindsOf, tokensOf } from "./groups.js";

/** @typedef {import("./groups.js").Column} Column */
/** @typedef {import("./rows.js").Row} Row */

export class CardsView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.text = "";
    /** @type {IntersectionObserver[]} */
    this.observers = [];
    /** @type {WeakMap<Element, Column>} */
    this.columnOf = new WeakMap();
    this.light = new Light();
    root.replaceChildren();
  }

  destroy() {
    for (const observer of this.observers) observer.disconnect();
  }

  /** @param {string} text @param {Row[]} rows */
  show(text, rows) {
    this.destroy();
    this.observers = [];
    const scrolls = [...this.root.querySelectorAll(".body")].map((body) => body.scrollTop);
    this.text = text;
    this.root.replaceChildren(...rows.map((row) => this.makeCard(row)));
    this.root.querySelectorAll(".body").forEach((body, r) => (body.scrollTop = scrolls[r] ?? 0));
  }

  /** @param {Row} row */
  makeCard(row) {
    const card = element("div", "card"), heading = element("h2", "", row.tokenizer_name), body = element("div", "body");
    heading.append(element("span", "", counted(row.n_tokens, "token")));
    body.tabIndex = 0;
    /** @type {Map<Element, () => void>} */
    const fillOf = new Map();
    const observer = new IntersectionObserver(
      (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && fillOf.get(target)?.()),
      { root: body, rootMargin: "400px 0px" },
    );
    this.observers.push(observer);
    let start = 0;
    for (const end of blockEnds(this.text, 1200)) {
      const block = element("div", "block"), from = start;
      block.style.containIntrinsicSize = `auto ${Math.ceil((end - start) / 45) * 1.6}rem`;
      const fill = () => {
        fillOf.delete(block);
        this.fill(block, row, from, end);
      };
      fillOf.set(block, fill);
      if (start === 0) fill();
      start = end;
      body.append(block);
      observer.observe(block);
    }
    card.append(heading, body);
    return card;
  }

  /** @param {HTMLElement} block @param {Row} row @param {number} start @param {number} end */
  fill(block, row, start, end) {
    const tokens = Array.from(iterColumns([row], start, end), (column, i) => {
      const [first, last] = tokensOf(row, column.groups[0]);
      const text = this.text.slice(column.from, column.to);
      if (first === last) return makeDropped(text, true);
      const token = makeToken(text, { color: i % N_COLORS, nTokens: last - first, marks: true, kinds: kindsOf(row, column.groups[0]) });
      this.columnOf.set(token, column);
      return token;
    });
    block.append(layTokens(tokens));
  }

  /** The token below a pointer. @param {EventTarget | null} target */
  spotAt(target) {
    const token = target instanceof Element ? target.closest(".t") : null;
    return token && this.columnOf.has(token) ? token : null;
  }

  /** Mark, in every card, the tokens that cover what is pointed at. @param {Element | null} token @returns {Column | null} */
  point(token) {
    const column = (token && this.columnOf.get(token)) ?? null;
    const covers = (/** @type {Element} */ other) => {
      const { from, to } = this.columnOf.get(other) ?? { from: 0, to: 0 };
      return column !== null && from < column.to && to > column.from;
    };
    this.light.show(column ? [...this.root.querySelectorAll(".t")].filter(covers) : []);
    return column;
  }

  /** Cards are read with the pointer only. */
  step() {
    return null;
  }
}
