// The list of found tokens. Only the rows in view are drawn; they are fetched from the session a page at a time, and
// kept until another search. A click anywhere in a row, or an arrow key, chooses it.

import { element, find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { NewestWins, postJson, RefusedError, sentenceOf } from "../shared/wire.js";
import { count } from "../shared/wording.js";

/** Data from Python; see `ui/vocabulary/token_list.py`. @typedef {import("../shared/wire_types.d.ts").TokenListData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").TokenListEvent} Said */
/** @typedef {import("../shared/wire_types.d.ts").TokenRow} Row */
/** @typedef {import("../shared/wire_types.d.ts").TokenRows} Rows */

/** Rows of one request, and rows drawn above and below the view. */
const PAGE_ROWS = 100, AROUND = 10;
/** Milliseconds after the last arrow key until the page draws the token. */
const SETTLE_MS = 150;

class TokenList {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.window = find(root, ".window");
    this.all = find(root, ".all");
    this.problem = find(root, ".problem");
    /** @type {Data | null} */
    this.data = null;
    this.chosen = 0;
    /** Fetched pages by number. @type {Map<number, Row[]>} */
    this.pages = new Map();
    this.send = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    this.fetching = new NewestWins(() => this.fetch());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.settling = undefined;
    this.window.addEventListener("scroll", () => this.draw(), { signal, passive: true });
    this.window.addEventListener("keydown", (event) => this.onKey(event), { signal });
    const onClick = (/** @type {MouseEvent} */ event) => {
      const row = event.target instanceof Element && event.target.closest(".row");
      if (row instanceof HTMLElement) this.choose(Number(row.dataset.place), 0);
    };
    this.window.addEventListener("click", onClick, { signal });
    const resizing = new ResizeObserver(() => this.draw());
    resizing.observe(this.window);
    signal.addEventListener("abort", () => {
      resizing.disconnect();
      clearTimeout(this.settling);
    });
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    const isNew = this.data?.url !== data.url || this.data.revision !== data.revision;
    this.data = data;
    if (isNew) {
      this.pages.clear();
      this.chosen = data.chosen;
      this.window.scrollTop = Math.max(0, (data.chosen - 2) * this.rowHeight);
    }
    this.draw();
  }

  /** The height of a row in pixels, which is larger on a phone and with large type. */
  get rowHeight() {
    const row = this.all.appendChild(element("div", "row")), { height } = row.getBoundingClientRect();
    row.remove();
    return height || 32;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const perView = Math.max(1, Math.floor(this.window.clientHeight / this.rowHeight) - 1), last = (this.data?.n_rows ?? 1) - 1;
    const to = { ArrowDown: this.chosen + 1, ArrowUp: this.chosen - 1, PageDown: this.chosen + perView, PageUp: this.chosen - perView, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(last, to)), SETTLE_MS);
  }

  /** @param {number} place @param {number} wait milliseconds until the page draws the token */
  choose(place, wait) {
    this.chosen = place;
    const { rowHeight, window } = this, top = place * rowHeight;
    if (top < window.scrollTop) window.scrollTop = top;
    else if (top + rowHeight > window.scrollTop + window.clientHeight) window.scrollTop = top + rowHeight - window.clientHeight;
    this.draw();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.send("chosen", { revision: this.data?.revision ?? 0, place, at: Date.now() }), wait);
  }

  /** Draw the rows in view that have arrived, and fetch the others. */
  draw() {
    if (!this.data) return;
    const { rowHeight, window } = this, { n_rows } = this.data;
    this.all.style.height = `${n_rows * rowHeight}px`;
    const first = Math.max(0, Math.floor(window.scrollTop / rowHeight) - AROUND);
    const last = Math.min(n_rows, Math.ceil((window.scrollTop + window.clientHeight) / rowHeight) + AROUND);
    const drawn = [];
    for (let place = first; place < last; place++) drawn.push(this.makeRow(place, rowHeight));
    this.all.replaceChildren(...drawn);
    window.setAttribute("aria-activedescendant", `token-${this.chosen}`);
    const isWaiting = this.missing(first, last) !== null;
    window.setAttribute("aria-busy", String(isWaiting));
    if (isWaiting) void this.fetching.push(null);
  }

  /** @param {number} place @param {number} rowHeight */
  makeRow(place, rowHeight) {
    const row = this.pages.get(Math.floor(place / PAGE_ROWS))?.[place % PAGE_ROWS], line = element("div", "row");
    line.dataset.place = String(place);
    line.style.top = `${place * rowHeight}px`;
    if (!row) return line; // it has not arrived
    line.id = `token-${place}`;
    line.setAttribute("role", "option");
    line.setAttribute("aria-selected", String(place === this.chosen));
    // Spaces separate the words of the option's accessible name; the grid does not show them.
    line.append(element("span", "", count(row.id)), " ", element("span", "", row.text), " ", element("span", "", String(row.n_bytes)), " ", element("span", "", row.script));
    return line;
  }

  /** The first page of rows that has not arrived; null for none. @param {number} first @param {number} last */
  missing(first, last) {
    for (let page = Math.floor(first / PAGE_ROWS); page * PAGE_ROWS < last; page++) if (!this.pages.has(page)) return page;
    return null;
  }

  /** Fetch the pages in view, one after another. */
  async fetch() {
    const { data } = this;
    if (!data) return;
    const { rowHeight, window } = this;
    const first = Math.max(0, Math.floor(window.scrollTop / rowHeight) - AROUND);
    const page = this.missing(first, Math.min(data.n_rows, first + Math.ceil(window.clientHeight / rowHeight) + 2 * AROUND));
    if (page === null) return;
    try {
      const answer = /** @type {Rows} */ (await postJson(data.url, "rows", { first: page * PAGE_ROWS, n_rows: PAGE_ROWS }));
      this.problem.hidden = true;
      if (answer.revision !== this.data?.revision) return; // a newer search, which is fetched anew
      this.pages.set(page, answer.rows);
      this.draw();
    } catch (error) {
      if (error instanceof RefusedError && error.status === 410) return this.send("lost", Date.now());
      this.problem.textContent = sentenceOf(error);
      this.problem.hidden = false;
    }
  }
}

export default component(".token-list", (root, signal) => new TokenList(root, signal));
