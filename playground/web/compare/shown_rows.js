// The figures and the rows of a comparison, with the choice of their layout and the tip: on Compare, and in a page
// saved from it.

import { dataOf, element, find } from "../shared/element.js";
import { shorten, shownInLine } from "../shared/wording.js";
import { AlignedView } from "./aligned_view.js";
import { groupAt, tokensOf } from "./rows.js";
import { CardsView, drawFigures, drawLegend, placeBeside } from "./views.js";

/** @typedef {import("./rows.js").Column} Column */
/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("./rows.js").Answer["agreement"]} Agreement */
/** @typedef {"aligned" | "cards"} Layout */

/** What Python says of the rows. @typedef {Pick<import("../shared/wire_types.d.ts").CompareData, "models" | "colors" | "prices_date">} About */

export class ShownRows {
  /**
   * `onLayout` gets each layout that the reader chooses.
   * @param {HTMLElement} root @param {AbortSignal} signal @param {Layout} layout @param {(layout: Layout) => void} onLayout
   */
  constructor(root, signal, layout, onLayout) {
    this.root = root;
    this.home = find(root, ".rows");
    /** @type {Row[]} what is shown, of the text `this.text` */
    this.rows = [];
    this.agreement = { in_all: 0, in_some: 0, in_one: 0 };
    this.text = "";
    /** @type {About["models"]} */
    this.models = [];
    /** @type {AlignedView | CardsView} */
    this.view = this.setLayout(layout);
    const onChoice = (/** @type {Event} */ event) => {
      const name = dataOf(event, "view");
      if (name !== "aligned" && name !== "cards") return;
      this.setLayout(name);
      onLayout(name);
    };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") this.point(null);
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const spot = by && this.view.step(by);
      if (!spot) return;
      event.preventDefault();
      this.point(spot);
    };
    find(root, ".choice").addEventListener("click", onChoice, { signal });
    this.home.addEventListener("pointerover", (event) => this.point(this.view.spotAt(event.target)), { signal });
    // What was tapped stays described after the finger is lifted.
    this.home.addEventListener("pointerleave", (event) => event.pointerType === "touch" || this.point(null), { signal });
    this.home.addEventListener("blur", () => this.point(null), { signal });
    document.addEventListener("scroll", () => this.hideTip(), { signal, passive: true, capture: true });
    this.home.addEventListener("keydown", onKey, { signal });
    signal.addEventListener("abort", () => this.view.destroy());
  }

  /** @returns {Layout} */
  get layout() {
    return this.view instanceof CardsView ? "cards" : "aligned";
  }

  /** Show the rows of a text. @param {string} text @param {Row[]} rows @param {Agreement} agreement @param {About | null} about */
  show(text, rows, agreement, about) {
    Object.assign(this, { text, rows, agreement, models: about?.models ?? [] });
    drawFigures(find(this.root, ".figures table", HTMLTableElement), rows, this.models, about?.colors ?? [], about?.prices_date ?? "");
    this.showRows();
    this.point(null);
  }

  /** @param {Layout} layout */
  setLayout(layout) {
    this.view?.destroy();
    this.home.className = `rows ${layout}`;
    this.view = layout === "cards" ? new CardsView(this.home) : new AlignedView(this.home);
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll("[data-view]"))) {
      button.setAttribute("aria-checked", String(button.dataset.view === layout));
    }
    if (this.rows.length) this.showRows();
    return this.view;
  }

  showRows() {
    drawLegend(find(this.root, ".legend"), this.view instanceof CardsView ? null : this.agreement, this.rows);
    this.view.show(this.text, this.rows);
  }

  /** Highlight the tokens at a position, and describe them beside it. @param {Element | null} spot */
  point(spot) {
    const column = this.view.point(spot);
    if (!spot || !column) return this.hideTip();
    const tip = find(this.root, ".tip");
    tip.replaceChildren(...this.describe(column));
    tip.hidden = false;
    const { left, top } = placeBeside(spot.getBoundingClientRect(), tip.getBoundingClientRect(), innerWidth, innerHeight);
    tip.style.translate = `${left}px ${top}px`;
  }

  hideTip() {
    find(this.root, ".tip").hidden = true;
  }

  /** A line for each row: its tokens at a column, with their ids. @param {Column} column @returns {HTMLElement[]} */
  describe({ from, to }) {
    return this.rows.map((row, r) => {
      const names = [];
      for (let group = groupAt(row, from); group < row.positions.length && row.positions[group] < to; group++) {
        const [first, end] = tokensOf(row, group);
        const text = this.text.slice(row.positions[group], row.positions[group + 1] ?? this.text.length);
        if (first === end) names.push(`“${shorten(shownInLine(text), 30)}” dropped`);
        else names.push(`“${shorten(shownInLine(text), 30)}” id ${Array.from(row.ids.subarray(first, Math.min(end, first + 8))).join(" ")}${end - first > 8 ? " …" : ""}`);
      }
      return element("div", "", `${this.models[r]?.name ?? row.tokenizer_name}: ${names.slice(0, 6).join(", ")}`);
    });
  }
}
