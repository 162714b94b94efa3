// Compare's table of figures, and its plain view: a card for each tokenizer with its tokens as a strip.

import { element } from "../shared/element.js";
import { term } from "../shared/glossary.js";
import { MARK } from "../shared/segments.js";
import { layTokens, Light, makeDropped, makeMarkKey, makeToken, N_COLORS } from "../shared/token_strip.js";
import { count, counted, dollars, fixed, signed } from "../shared/wording.js";
import { blockEnds, isDropped, iterColumns, kindsOf, tokensOf } from "./rows.js";

/** @typedef {import("./rows.js").Column} Column */
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
      if (last - first > 1) token.append(makeTimes(last - first));
      this.columnOf.set(token, column);
      return token;
    });
    block.append(layTokens(tokens));
  }

  /** The token at a pointer. @param {EventTarget | null} target */
  spotAt(target) {
    const token = target instanceof Element ? target.closest(".t") : null;
    return token && this.columnOf.has(token) ? token : null;
  }

  /** Highlight the tokens of every card that cover the pointer's position. @param {Element | null} token @returns {Column | null} */
  point(token) {
    const column = (token && this.columnOf.get(token)) ?? null;
    const covers = (/** @type {Element} */ other) => {
      const { from, to } = this.columnOf.get(other) ?? { from: 0, to: 0 };
      return column !== null && from < column.to && to > column.from;
    };
    this.light.show(column ? [...this.root.querySelectorAll(".t")].filter(covers) : []);
    return column;
  }

  /** Cards can only be read with the pointer. */
  step() {
    return null;
  }
}

/** A row's model. @typedef {import("../shared/wire_types.d.ts").ComparedModel} Model */

/**
 * @param {HTMLTableElement} table @param {Row[]} rows
 * @param {Model[]} models @param {string[]} colors of each row @param {string} pricesDate the day of the models' prices
 */
export function drawFigures(table, rows, models, colors, pricesDate) {
  const isEmpty = !rows[0]?.n_characters, most = Math.max(1, ...rows.map((row) => row.n_tokens));
  const shared = element("span", "", "shared ");
  shared.append(term("boundary", "boundaries"));
  shared.title = "Boundaries that this tokenizer and the first one both have, divided by those that either has";
  const head = [
    "model", "tokens", `vs. ${models[0]?.name ?? "the first"}`, titled("cost", `Of this text as input, by the models' prices of ${pricesDate}`),
    titled("a million such", `A million texts like this one as input, by the models' prices of ${pricesDate}`), term("bytes per token"), "characters per token",
    term("fertility", "tokens per word"), shared, term("vocabulary"),
  ];
  const fraction = (/** @type {number} */ x) => (isEmpty ? "–" : fixed(x));
  const lines = rows.map((row, r) => {
    const model = models[r], price = model?.input_price ?? null, cost = (row.n_tokens * (price ?? 0)) / 1e6;
    const name = element("td", "", model?.name ?? row.tokenizer_name), dot = element("span", "dot");
    if (model?.detail) name.append(element("span", "of", model.detail));
    dot.style.background = colors[r] ?? "transparent";
    name.prepend(dot);
    const cells = [
      r ? againstFirst(row, rows[0]) : "–",
      ...(price === null || isEmpty ? ["–", "–"] : [dollars(cost), dollars(1e6 * cost)]),
      fraction(row.bytes_per_token),
      fraction(row.characters_per_token),
      fraction(row.tokens_per_word),
      isEmpty ? "–" : `${Math.round(row.shared_boundaries * 100)} %`,
      count(row.n_vocab),
    ];
    const line = element("tr"), tokens = element("td", "count"), number = element("span", "number", count(row.n_tokens)), bar = element("i");
    number.style.minWidth = `${count(most).length}ch`;
    tokens.append(number);
    bar.style.width = `${(100 * row.n_tokens) / most}%`;
    bar.style.background = dot.style.background;
    tokens.appendChild(element("span", "track")).append(bar);
    line.append(name, tokens, ...cells.map((text) => element("td", "", text)));
    return line;
  });
  const headLine = element("tr");
  for (const name of head) headLine.appendChild(element("th")).append(name);
  table.tHead?.replaceChildren(headLine);
  table.tBodies[0]?.replaceChildren(...lines);
}

/** @param {string} text @param {string} title */
function titled(text, title) {
  const span = element("span", "", text);
  span.title = title;
  return span;
}

/** The difference in tokens from the first row, as a signed number and a percentage. @param {Row} row @param {Row} first */
export function againstFirst(row, first) {
  const share = first.n_tokens ? Math.round((100 * row.tokens_against_first) / first.n_tokens) : 0;
  return `${signed(row.tokens_against_first)}${first.n_tokens ? ` (${signed(share)}\u00a0%)` : ""}`;
}

/**
 * Draw the legend of the visible marks; with `agreement`, also the numbers of boundaries in all rows, in some and in
 * one.
 * @param {HTMLElement} legend @param {import("./rows.js").Answer["agreement"] | null} agreement @param {Row[]} rows
 */
export function drawLegend(legend, agreement, rows) {
  const has = (/** @type {number} */ mark) => rows.some((row) => row.marks.some((marks) => marks & mark));
  const isDroppedIn = (/** @type {Row} */ row) => row.firsts.some((_, group) => isDropped(row, group));
  const marks = makeMarkKey({ isDropped: rows.some(isDroppedIn), isChanged: has(MARK.changed), isInserted: has(MARK.inserted) });
  if (rows.some((row) => row.firsts.length < row.nTokens)) marks.push(makeTimes(2, " tokens in one character"));
  if (!agreement || rows.length < 2) return legend.replaceChildren(...marks);
  /** @type {[string, number, string][]} */
  const kinds = [["all", agreement.in_all, "in all"], ["some", agreement.in_some, "in some"], ["one", agreement.in_one, "in only one"]];
  const items = kinds
    .filter(([kind]) => kind !== "some" || rows.length > 2)
    .map(([kind, n, name]) => {
      const item = element("span", "", `${count(n)} ${name}`);
      item.prepend(element("i", kind));
      return item;
    });
  legend.replaceChildren(element("span", "", "Boundaries:"), ...items, ...marks);
}

/** The number of tokens of a piece of text, in small type. @param {number} nTokens */
export function makeTimes(nTokens, after = "") {
  const made = element("span", "times", `×${nTokens}`);
  if (!after) return made;
  const item = element("span", "key-item");
  item.append(made, after);
  return item;
}

const GAP_PX = 6;

/**
 * The position of a tip in the window: below the described element, or above it, or else as low as possible.
 * @param {{left: number, top: number, bottom: number}} spot @param {{width: number, height: number}} tip
 * @param {number} width of the window @param {number} height
 */
export function placeBeside(spot, tip, width, height) {
  const left = Math.max(GAP_PX, Math.min(spot.left, width - tip.width - GAP_PX));
  const below = spot.bottom + GAP_PX, above = spot.top - tip.height - GAP_PX;
  if (below + tip.height + GAP_PX <= height) return { left, top: below };
  return { left, top: above >= GAP_PX ? above : Math.max(GAP_PX, height - tip.height - GAP_PX) };
}
