// Merge list: a row for each merge; only rows near the view are drawn, and one is selected.

import { element, joined } from "../shared/element.js";
import { count, counted, times } from "../shared/wording.js";

/** @typedef {import("../shared/wire_types.d.ts").FilmView} Data */

/** Rows drawn above and below the view. */
const BEYOND = 6;

/**
 * The half-open range of rows to draw, out of `n`.
 * @param {{n: number, top: number, height: number, rowHeight: number}} view
 * @returns {[first: number, end: number]}
 */
export function rowsInView({ n, top, height, rowHeight }) {
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  return [Math.min(first, n), Math.min(n, Math.ceil((top + height) / rowHeight) + BEYOND)];
}

/**
 * The scroll position at which a row and its neighbours are visible; unchanged if the row is visible already.
 * @param {{row: number, top: number, height: number, rowHeight: number}} view
 */
export function topFor({ row, top, height, rowHeight }) {
  const start = row * rowHeight;
  if (start >= top && start + rowHeight <= top + height) return top;
  return Math.max(0, start - (height - rowHeight) / 2);
}

export class MergeList {
  /** `onMerge(k)` is called when a row is chosen. @param {HTMLElement} root @param {AbortSignal} signal @param {(k: number) => void} onMerge */
  constructor(root, signal, onMerge) {
    this.root = root;
    this.onMerge = onMerge;
    this.k = -1;
    /** @type {Data | null} */
    this.data = null;
    this.rows = element("div", "all-rows");
    root.replaceChildren(this.rows);
    root.addEventListener("scroll", () => this.draw(), { signal });
    root.addEventListener("click", (event) => this.choose(event.target), { signal });
    root.addEventListener("keydown", (event) => this.walk(event), { signal });
  }

  /** Show the merges, with the current one marked. @param {Data} data @param {number} k */
  show(data, k) {
    const isNew = data !== this.data;
    if (!isNew && k === this.k) return;
    Object.assign(this, { data, k });
    const { first, rows } = data.merges, height = this.rowHeight();
    this.rows.style.height = `${rows.length * height}px`;
    const row = Math.max(0, Math.min(k - 1 - first, rows.length - 1));
    this.root.scrollTop = topFor({ row, top: this.root.scrollTop, height: this.root.clientHeight, rowHeight: height });
    this.draw();
  }

  rowHeight() {
    return 1.5 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  draw() {
    if (!this.data) return;
    const { merges, labels } = this.data, rowHeight = this.rowHeight();
    const [first, end] = rowsInView({ n: merges.rows.length, top: this.root.scrollTop, height: this.root.clientHeight, rowHeight });
    /** @type {Map<string, HTMLElement>} */
    const before = new Map([...this.rows.children].map((row) => [row.id, /** @type {HTMLElement} */ (row)]));
    const drawn = merges.rows.slice(first, end).map((row, i) => {
      const made = this.makeRow(row, merges.first + first + i, first + i, labels, rowHeight), old = before.get(made.id);
      return old?.isEqualNode(made) ? old : made;
    });
    keepInPlace(this.rows, drawn);
    this.root.toggleAttribute("aria-activedescendant", false);
    const chosen = drawn.find((row) => row.getAttribute("aria-selected") === "true");
    if (chosen) this.root.setAttribute("aria-activedescendant", chosen.id);
  }

  /**
   * @param {Data["merges"]["rows"][number]} row @param {number} rank @param {number} place
   * @param {Data["labels"]} labels @param {number} rowHeight
   */
  makeRow([left, right, made, nPairs, nTokens], rank, place, labels, rowHeight) {
    const row = element("div", "row");
    row.id = `merge-row-${rank}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(rank + 1 === this.k));
    row.setAttribute("aria-label", `merge ${count(rank + 1)}: ${labels[left]} and ${labels[right]} give ${labels[made]}, ${times(nPairs)}, ${counted(nTokens, "token")} left`);
    row.dataset.k = String(rank + 1);
    Object.assign(row.style, { top: `${place * rowHeight}px`, height: `${rowHeight}px` });
    const what = element("span", "what"), whole = element("b");
    whole.append(...joined([labels[made]]));
    what.append(...joined([labels[left], labels[right]]), " → ", whole);
    row.append(element("span", "", count(rank + 1)), what, element("span", "", count(nPairs)), element("span", "", count(nTokens)));
    return row;
  }

  /** @param {EventTarget | null} target */
  choose(target) {
    const row = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".row")) : null;
    if (row) this.onMerge(Number(row.dataset.k));
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (!this.data || event.ctrlKey || event.metaKey || event.altKey) return;
    const { first, rows } = this.data.merges, page = Math.max(1, Math.floor(this.root.clientHeight / this.rowHeight()) - 1);
    /** @type {Record<string, number>} */
    const moves = { ArrowDown: this.k + 1, ArrowUp: this.k - 1, PageDown: this.k + page, PageUp: this.k - page, Home: first + 1, End: first + rows.length };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.onMerge(Math.max(first + 1, Math.min(first + rows.length, moves[event.key])));
  }
}

/** Replace the children without moving those that stay, because removing an element interrupts a press on it. @param {HTMLElement} home @param {HTMLElement[]} children */
function keepInPlace(home, children) {
  const kept = new Set(children);
  for (const child of /** @type {HTMLElement[]} */ (Array.from(home.children))) if (!kept.has(child)) child.remove();
  let place = home.firstChild;
  for (const child of children) {
    if (place === child) place = place.nextSibling;
    else home.insertBefore(child, place);
  }
}
