// Compare: the text field, the figures and the rows, kept in step with the server.

import { onShare, takePayload } from "../shared/address.js";
import { DeskField } from "../shared/desk.js";
import { dataOf, element, find, Notes } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { saveFile } from "../shared/save.js";
import { browserStore, onUnkept, TabMemory, unkeptNote } from "../shared/tab_memory.js";
import { TextField } from "../shared/text_field.js";
import { TextSync } from "../shared/text_sync.js";
import { NewestWins, Reconnect, RefusedError, sentenceOf, Settling } from "../shared/wire.js";
import { counted, shorten, shownInLine } from "../shared/wording.js";
import { AlignedView } from "./aligned_view.js";
import { changeRows, CompareActions, groupAt, tokensOf } from "./rows.js";
import { CardsView, drawFigures, drawLegend, placeBeside } from "./views.js";

const SETTLE_MS = 600;
const STORE = "tessera.compare";

/** Data from Python; see `ui/compare/view.py`. @typedef {import("../shared/wire_types.d.ts").CompareData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").CompareEvent} Said */

/** @typedef {import("./rows.js").Column} Column */
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
    /** @type {Data | null} what the page gave when the text was last opened */
    this.opened = null;
    this.isOpen = false;
    /** @type {Row[]} what is shown, of the text `this.text` */
    this.rows = [];
    this.agreement = { in_all: 0, in_some: 0, in_one: 0 };
    this.text = "";
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    /** @type {TabMemory<{view: string}>} */
    this.taste = new TabMemory(browserStore, STORE);
    this.linked = takePayload("compare");
    this.settling = new Settling(signal, SETTLE_MS, () => this.onSettled());
    this.actions = new CompareActions(() => this.data?.url ?? "");
    this.opening = new NewestWins(() => this.open());
    this.reconnect = new Reconnect({
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      reopen: () => this.reopen(),
    });
    /** @type {TextSync<Answer>} */
    this.sync = new TextSync({
      send: (edit) => this.actions.edit(edit),
      onAnswer: (answer, text) => {
        this.root.classList.remove("of-another");
        this.show(this.rows, answer, text);
        this.settling.touch();
      },
      onError: (error) => this.showError(error),
    });
    this.desk = new DeskField("compare", () => ({ field: this.field, onText: () => this.follow() }));
    this.field = new TextField(root, signal, {
      getLimit: () => this.data?.max_bytes ?? Infinity,
      onText: (text) => {
        this.desk.change(text);
        this.follow();
        this.notes.draw();
      },
      onTooLong: (error) => {
        this.desk.keep(this.field.text);
        this.sync.cancel();
        this.tellProblem("text", error.message);
      },
      onProblem: (error) => this.tellProblem("file", error.message),
      onNotes: () => this.notes.draw(),
    });
    this.notes = new Notes(find(root, ".notes"), () => [this.field.undoNote() ?? this.desk.note(), this.field.exampleNote(), unkeptNote()]);
    onUnkept(() => this.notes.draw(), signal);
    /** @type {AlignedView | CardsView} */
    this.view = this.setView((this.linked?.layout ?? this.taste.read().view) === "cards" ? "cards" : "aligned");
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
      if (event.key === "Escape") this.point(null);
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const spot = by && this.view.step(by);
      if (!spot) return;
      event.preventDefault();
      this.point(spot);
    };
    find(this.root, ".choice").addEventListener("click", onView, { signal });
    find(this.root, ".save-csv").addEventListener("click", () => this.saveCsv(), { signal });
    onShare(signal, () => this.share());
    this.rowsRoot.addEventListener("pointerover", (event) => this.point(this.view.spotAt(event.target)), { signal });
    for (const leaving of ["pointerleave", "blur"]) this.rowsRoot.addEventListener(leaving, () => this.point(null), { signal });
    document.addEventListener("scroll", () => this.hideTip(), { signal, passive: true, capture: true });
    this.rowsRoot.addEventListener("keydown", onKey, { signal });
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    if (this.data?.revision === data.revision && this.data.url === data.url && this.isOpen) return;
    this.data = data;
    this.field.offer(data.examples);
    this.sync.cancel();
    this.reopen();
  }

  destroy() {
    this.desk.save();
    this.reconnect.end();
    this.view.destroy();
  }

  // ---- talking with the server

  /** Send the change of the text, once the server's text is known. */
  follow() {
    this.tellProblem("text", "");
    if (this.isOpen) this.sync.push(this.field.text);
    else if (!this.opening.running) this.reopen();
  }

  /** Open the page's newest session. */
  reopen() {
    this.isOpen = false; // typed text waits until it is open
    this.opening.push(null);
  }

  /** Fetch the text and all its rows, then send what was typed meanwhile. */
  async open() {
    const { data } = this;
    if (!data) return;
    await this.sync.settled();
    try {
      const answer = await this.actions.open();
      if (this.opening.next) return; // the page has a newer session
      this.reconnect.stop();
      const isFirst = this.opened === null;
      this.showText(answer.text, data);
      this.opened = data;
      this.sync.reset(answer.text, answer.version);
      this.isOpen = true;
      this.show(null, answer, answer.text);
      const isOther = this.field.text !== answer.text && !this.field.isTooLong();
      if (isOther && isFirst) this.root.classList.add("of-another"); // its figures are not those of the shown text
      if (!this.field.isTooLong()) this.follow();
    } catch (error) {
      this.showError(error);
    }
  }

  /** Put the server's text into the field, unless the reader has typed one and the page has not set another. @param {string} text @param {Data} data */
  showText(text, data) {
    const old = this.opened, opening = this.desk.opening(data.url, data.text_revision, text, old ? undefined : this.linked?.text);
    if (!old) this.field.open(opening);
    else if (old?.url === data.url && old.text_revision !== data.text_revision) {
      this.field.show(text);
      this.tellProblem("text", "");
    } // otherwise the tokenizers changed or the server restarted, and typed text stays
    this.notes.draw();
    this.desk.save();
  }

  /** @param {unknown} error */
  showError(error) {
    this.root.classList.remove("of-another"); // the page says already that they belong to the previous text
    if (error instanceof RefusedError && error.status === 409) {
      this.reopen(); // an answer was lost: start from the server's text
      return;
    }
    if (this.reconnect.seeks(error)) this.isOpen = false;
    this.tellProblem("server", sentenceOf(error));
  }

  /** After a pause, update this tab's memory and the parts of the page that Streamlit draws. */
  onSettled() {
    this.desk.save();
    this.setTriggerValue("settled", Date.now());
  }

  /** Save the figures of the current text. */
  async saveCsv() {
    await this.sync.settled();
    const asked = this.actions.csv().then(({ csv }) => saveFile(new Blob([csv], { type: "text/csv" }), "comparison.csv"));
    this.tellProblem("csv", await asked.then(() => "", (error) => error.message));
  }

  /** The values for a copied address: the text, and the layout of its rows. */
  async share() {
    return { page: "compare", text: this.field.text, layout: this.view instanceof CardsView ? "cards" : "aligned" };
  }

  // ---- showing

  /** Show a text after changes to the rows `held`. @param {Row[] | null} held @param {Answer} answer @param {string} text */
  show(held, answer, text) {
    this.rows = changeRows(held, answer.rows, text);
    this.agreement = answer.agreement;
    this.text = text.toWellFormed();
    const { n_characters = 0, n_bytes = 0 } = this.rows[0] ?? {};
    drawFigures(find(this.root, ".figures table", HTMLTableElement), this.rows, this.data?.models ?? [], this.data?.colors ?? [], this.data?.prices_date ?? "");
    find(this.root, ".size").textContent = `${counted(n_characters, "character")}, ${counted(n_bytes, "byte")}`;
    this.showRows();
    this.point(null);
    this.tellProblem("server", "");
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
    if (this.rows.length) this.showRows();
    return this.view;
  }

  showRows() {
    const legend = find(this.root, ".legend");
    drawLegend(legend, this.view instanceof CardsView ? null : this.agreement, this.rows);
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
    const describeRow = (/** @type {Row} */ row) => {
      const names = [];
      for (let group = groupAt(row, from); group < row.positions.length && row.positions[group] < to; group++) {
        const [first, end] = tokensOf(row, group);
        const text = this.text.slice(row.positions[group], row.positions[group + 1] ?? this.text.length);
        if (first === end) names.push(`“${shorten(shownInLine(text), 30)}” dropped`);
        else names.push(`“${shorten(shownInLine(text), 30)}” id ${Array.from(row.ids.subarray(first, Math.min(end, first + 8))).join(" ")}${end - first > 8 ? " …" : ""}`);
      }
      return element("div", "", `${this.data?.models[this.rows.indexOf(row)]?.name ?? row.tokenizer_name}: ${names.slice(0, 6).join(", ")}`);
    };
    return this.rows.map(describeRow);
  }

  /** Set the problem for a reason; "" removes it. The shown text may then be older. @param {string} reason @param {string} sentence */
  tellProblem(reason, sentence) {
    this.notes.problem(reason, sentence);
    this.root.classList.toggle("stale", this.notes.hasProblem("text", "server"));
  }
}
