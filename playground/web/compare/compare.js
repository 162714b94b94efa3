// Compare: the text field, the figures and the rows, kept in step with the server.

import { copyLinkFrom } from "../shared/copy.js";
import { dataOf, find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { NewestWins } from "../shared/newest_wins.js";
import { Notes } from "../shared/notes.js";
import { count } from "../shared/numbers.js";
import { shorten, shownInLine } from "../shared/shown_text.js";
import { TabMemory } from "../shared/tab_memory.js";
import { TextField } from "../shared/text_field.js";
import { AlignedView } from "./aligned_view.js";
import { CardsView } from "./cards_view.js";
import { drawFigures, drawLegend } from "./figures.js";
import { groupAt, tokensOf } from "./groups.js";
import { fetchRows } from "./rows.js";

const SETTLE_MS = 600;
const STORE = "tessera.compare";

/**
 * What the page gives; see `ui/compare/view.py`.
 * @typedef {{url: string, revision: number, text_revision: number, is_fresh: boolean, text: string, examples: string[],
 *   colors: string[], max_bytes: number}} Data
 */

/** @typedef {import("./groups.js").Column} Column */
/** @typedef {import("./rows.js").Answer} Answer */
/** @typedef {import("./rows.js").Row} Row */

export default component(".compare", (root, signal) => new ComparePage(root, signal));

class ComparePage {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.rowsRoot = find(root, ".rows");
    /** @type {Data | null} */
    this.data = null;
    /** @type {Answer | null} what is shown, of the text `this.text` */
    this.answer = null;
    /** @type {Answer | null} what the server knows that this browser holds */
    this.held = null;
    this.text = "";
    this.setTriggerValue = (/** @type {string} */ _name, /** @type {unknown} */ _value) => {};
    /** @type {TabMemory<{text: string}>} */
    this.tab = new TabMemory(sessionStorage, STORE);
    /** @type {TabMemory<{view: string}>} */
    this.taste = new TabMemory(localStorage, STORE);
    this.queue = new NewestWins((/** @type {string} */ text) => this.ask(text));
    this.field = new TextField(root, signal, {
      getLimit: () => this.data?.max_bytes ?? Infinity,
      onText: () => this.follow(),
      onTooLong: (error) => this.tellProblem("text", error.message),
      onProblem: (error) => this.tellProblem("file", error.message),
      onNotes: () => this.notes.draw(),
      isKnown: (text) => this.data?.examples.includes(text) ?? false,
    });
    this.notes = new Notes(find(root, ".notes"), () => this.field.undoNote());
    /** @type {AlignedView | CardsView} */
    this.view = this.setView(this.taste.read().view === "cards" ? "cards" : "aligned");
    this.listen(signal);
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const onView = (/** @type {Event} */ event) => {
      const name = dataOf(event, "view");
      if (!name) return;
      this.setView(name);
      this.taste.write({ view: name });
    };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const spot = by && this.view.step(by);
      if (!spot) return;
      event.preventDefault();
      this.point(spot);
    };
    const share = find(this.root, ".share");
    find(this.root, ".choice").addEventListener("click", onView, { signal });
    share.addEventListener("click", () => this.share(share), { signal });
    this.rowsRoot.addEventListener("pointerover", (event) => this.point(this.view.spotAt(event.target)), { signal });
    this.rowsRoot.addEventListener("pointerleave", () => this.point(null), { signal });
    this.rowsRoot.addEventListener("keydown", onKey, { signal });
  }

  /** @param {import("../shared/mount.js").Given<Data>} given */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    const old = this.data;
    if (old?.revision === data.revision && old.url === data.url) return;
    this.data = data;
    const kept = this.tab.read().text;
    if (!old) this.field.show(data.is_fresh && typeof kept === "string" ? kept : data.text);
    else if (old.url === data.url && old.text_revision !== data.text_revision) {
      this.field.offerBack(data.text, "Another text took the place of yours.");
      this.field.show(data.text);
      this.tellProblem("text", "");
    } // else: a change of tokenizers, or a server that was started anew, takes nothing back that was typed
    if (!this.field.isTooLong()) this.follow();
  }

  destroy() {
    clearTimeout(this.settling);
    this.view.destroy();
  }

  // ---- talking with the server

  /** Ask for the rows of the present text. */
  follow() {
    this.tellProblem("text", "");
    this.queue.push(this.field.text.toWellFormed());
  }

  /** @param {string} text */
  async ask(text) {
    if (!this.data) return;
    try {
      this.held = await fetchRows(this.data.url, text, this.held);
      this.show(this.held, text);
      this.tellProblem("server", "");
    } catch (error) {
      this.held = null;
      this.tellProblem("server", /** @type {Error} */ (error).message);
    }
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.tab.write({ text: this.field.text });
      this.setTriggerValue("settled", Date.now());
    }, SETTLE_MS);
  }

  /** Copy a link that restores this view. @param {HTMLElement} button */
  async share(button) {
    if (!this.data) return;
    const told = copyLinkFrom(button, this.data.url, { text: this.field.text });
    this.tellProblem("link", await told.then(() => "", (error) => error.message));
  }

  // ---- showing

  /** @param {Answer} answer @param {string} text */
  show(answer, text) {
    this.answer = answer;
    this.text = text;
    drawFigures(find(this.root, ".figures table", HTMLTableElement), answer, this.data?.colors ?? []);
    find(this.root, ".size").textContent = `${count(answer.n_characters)} characters, ${count(answer.n_bytes)} bytes`;
    this.showRows(answer);
    this.point(null);
    this.root.dataset.shown = String(text.length);
  }

  /** @param {string} name */
  setView(name) {
    this.view?.destroy();
    this.rowsRoot.className = `rows ${name}`;
    this.view = name === "cards" ? new CardsView(this.rowsRoot) : new AlignedView(this.rowsRoot);
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll("[data-view]"))) {
      button.setAttribute("aria-checked", String(button.dataset.view === name));
    }
    if (this.answer) this.showRows(this.answer);
    return this.view;
  }

  /** @param {Answer} answer */
  showRows(answer) {
    const legend = find(this.root, ".legend");
    if (this.view instanceof CardsView) legend.replaceChildren();
    else drawLegend(legend, answer);
    this.view.show(this.text, answer.rows);
  }

  /** Mark what covers a spot of the rows, and say what it is. @param {Element | null} spot */
  point(spot) {
    const column = this.view.point(spot);
    find(this.root, ".about").textContent = column
      ? this.describe(column)
      : this.text
        ? "Point at a token: every row marks the tokens that cover it."
        : "An empty text has no tokens. Type one, or choose an example above.";
  }

  /** @param {Column} column */
  describe({ from, to }) {
    const describeRow = (/** @type {Row} */ row) => {
      const names = [];
      for (let group = groupAt(row, from); group < row.positions.length && row.positions[group] < to; group++) {
        const [first, end] = tokensOf(row, group);
        const text = this.text.slice(row.positions[group], row.positions[group + 1] ?? this.text.length);
        names.push(`“${shorten(shownInLine(text), 30)}” ${Array.from(row.ids.subarray(first, Math.min(end, first + 8))).join(" ")}${end - first > 8 ? " …" : ""}`);
      }
      return `${row.tokenizer_name}: ${names.slice(0, 6).join(", ")}`;
    };
    return this.answer?.rows.map(describeRow).join("\n") ?? "";
  }

  /** Say what is wrong, or that it is no longer. What is shown then may be of an older text. @param {string} reason @param {string} sentence */
  tellProblem(reason, sentence) {
    this.notes.problem(reason, sentence);
    this.root.classList.toggle("stale", this.notes.hasProblem("text", "server"));
  }
}
