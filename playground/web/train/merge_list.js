// List of changes: a row for each token that was added or removed; only rows near the view are drawn, and one is selected.

import { element, joined } from "../shared/element.js";
import { count, counted, times } from "../shared/wording.js";

/** @typedef {import("./run_log.js").RunLog} RunLog */

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
    /** @type {RunLog | null} */
    this.log = null;
    this.n = 0;
    this.rows = element("div", "all-rows");
    root.replaceChildren(this.rows);
    root.addEventListener("scroll", () => this.draw(), { signal });
    root.addEventListener("click", (event) => this.choose(event.target), { signal });
    root.addEventListener("keydown", (event) => this.walk(event), { signal });
  }

  /** Show the first `n` changes, with those of step k marked. @param {RunLog} log @param {number} k @param {number} n */
  show(log, k, n) {
    if (log === this.log && n === this.n && k === this.k) return;
    Object.assign(this, { log, k, n });
    const height = this.rowHeight(), row = Math.max(0, Math.min(n - 1, log.firstOf[k - 1] ?? 0));
    this.rows.style.height = `${n * height}px`;
    this.root.scrollTop = topFor({ row, top: this.root.scrollTop, height: this.root.clientHeight, rowHeight: height });
    this.draw();
  }

  rowHeight() {
    return 1.5 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  draw() {
    const { log, n } = this;
    if (!log) return;
    const rowHeight = this.rowHeight();
    const [first, end] = rowsInView({ n, top: this.root.scrollTop, height: this.root.clientHeight, rowHeight });
    /** @type {Map<string, HTMLElement>} */
    const before = new Map([...this.rows.children].map((row) => [row.id, /** @type {HTMLElement} */ (row)]));
    const drawn = log.changes.slice(first, end).map((change, i) => {
      const made = this.makeRow(log, change, first + i, rowHeight), old = before.get(made.id);
      return old?.isEqualNode(made) ? old : made;
    });
    keepInPlace(this.rows, drawn);
    this.root.toggleAttribute("aria-activedescendant", false);
    const chosen = drawn.find((row) => row.getAttribute("aria-selected") === "true");
    if (chosen) this.root.setAttribute("aria-activedescendant", chosen.id);
  }

  /** @param {RunLog} log @param {import("./run_log.js").Change} change @param {number} place @param {number} rowHeight */
  makeRow({ view, labels, tokens, vocabulary }, { step, isRemoval, id: made, parts, count: nTimes }, place, rowHeight) {
    const row = element("div", "row"), nTokens = tokens[step], kind = isRemoval ? "removed" : "added";
    const isMerge = !isRemoval && parts.length === 2, names = parts.map((part) => labels[part]);
    row.id = `change-row-${step}-${made}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(step === this.k));
    const said = isMerge ? `${view.step} ${count(step)}: ${names[0]} and ${names[1]} give ${labels[made]}` : `${view.step} ${count(step)}: ${labels[made]} ${kind}, ${count(vocabulary[step])} in the vocabulary`;
    row.setAttribute("aria-label", `${said}, ${times(nTimes)}, ${counted(nTokens, "token")} left`);
    row.dataset.k = String(step);
    Object.assign(row.style, { top: `${place * rowHeight}px`, height: `${rowHeight}px` });
    const what = element("span", "what"), whole = element("b");
    whole.append(...joined([labels[made]]));
    if (isMerge) what.append(...joined(names), " → ", whole);
    else what.append(isRemoval ? "− " : "+ ", whole, ...(parts.length ? [" → ", ...joined(names)] : []));
    row.append(element("span", "", count(step)), what, element("span", "", count(nTimes)), element("span", "", count(nTokens)));
    return row;
  }

  /** @param {EventTarget | null} target */
  choose(target) {
    const row = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".row")) : null;
    if (row) this.onMerge(Number(row.dataset.k));
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    if (!this.log || event.ctrlKey || event.metaKey || event.altKey) return;
    const first = 1, last = this.log.changes[this.n - 1]?.step ?? 1, page = Math.max(1, Math.floor(this.root.clientHeight / this.rowHeight()) - 1);
    /** @type {Record<string, number>} */
    const moves = { ArrowDown: this.k + 1, ArrowUp: this.k - 1, PageDown: this.k + page, PageUp: this.k - page, Home: first, End: last };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.onMerge(Math.max(first, Math.min(last, moves[event.key])));
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
