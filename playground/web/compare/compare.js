// Compare: the text field, the figures and the rows, kept in step with the server.

import { copyLink } from "../shared/copy.js";
import { component } from "../shared/mount.js";
import { count, isDark, note, readStore, TextField, writeStore } from "../shared/text_field.js";
import { AlignedView, CardsView, cellText, fetchRows, groupAt, make, tokensOf } from "./rows.js";

const SETTLE_MS = 600;
const STORE = "tessera.compare"; // sessionStorage: this tab only, so that a reload loses nothing
export default component(".compare", (root) => new ComparePage(root));

class ComparePage {
  constructor(root) {
    this.root = root;
    this.rowsRoot = root.querySelector(".rows");
    this.isAsking = false;
    this.problems = {};
    this.field = new TextField(root, {
      getLimit: () => this.data.max_bytes,
      onText: () => (this.problem("text", ""), this.ask()),
      onTooLong: (error) => this.problem("text", error.message),
      onProblem: (error) => this.problem("file", error.message),
      onNotes: () => this.drawNotes(),
      isKnown: (text) => this.data.examples.includes(text),
    });
    this.setView(readStore(localStorage, STORE).view === "cards" ? "cards" : "aligned");
    root.querySelector(".choice").addEventListener("click", (event) => {
      const { view } = event.target.dataset;
      if (!view) return;
      this.setView(view);
      writeStore(localStorage, STORE, { view });
    });
    root.querySelector(".share").addEventListener("click", (event) => this.share(event.target));
    this.rowsRoot.addEventListener("pointerover", (event) => this.point(this.view.columnAt(event.target)));
    this.rowsRoot.addEventListener("pointerleave", () => this.point(null));
    this.rowsRoot.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const column = by && this.view.step(by);
      if (!column) return;
      event.preventDefault();
      this.point(column);
    });
  }

  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    this.root.classList.toggle("dark", isDark(this.root));
    const old = this.data;
    if (old?.revision === data.revision && old.url === data.url) return;
    this.data = data;
    const kept = readStore(sessionStorage, STORE).text;
    if (!old) this.field.show(data.is_fresh && typeof kept === "string" ? kept : data.text);
    else if (old.url === data.url && old.text_revision !== data.text_revision) {
      this.field.offerBack(data.text, "Another text took the place of yours.");
      this.field.show(data.text);
      this.problem("text", "");
    } // else: a change of tokenizers, or a server that was started anew, takes nothing back that was typed
    if (!this.field.isTooLong()) this.ask();
  }

  /** Copy a link that restores this view. */
  async share(button) {
    try {
      await copyLink(this.data.url, { text: this.field.text });
      this.problem("link", "");
      button.textContent = "Link copied";
      setTimeout(() => (button.textContent = "Copy link"), 2500);
    } catch (error) {
      this.problem("link", error.message);
    }
  }

  /** One request is in flight at a time; the newest text wins. */
  async ask() {
    this.isStale = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isStale) {
      this.isStale = false;
      const text = this.field.text.toWellFormed();
      try {
        this.held = await fetchRows(this.data.url, text, this.held);
        this.show(this.held, text);
        this.problem("server", "");
      } catch (error) {
        this.held = null;
        this.problem("server", error.message);
      }
    }
    this.isAsking = false;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      writeStore(sessionStorage, STORE, { text: this.field.text });
      this.setTriggerValue("settled", Date.now());
    }, SETTLE_MS);
  }

  show(answer, text) {
    this.answer = answer;
    this.text = text;
    this.drawFigures();
    this.drawLegend();
    this.root.querySelector(".size").textContent = `${count(answer.n_characters)} characters, ${count(answer.n_bytes)} bytes`;
    this.view.show(text, answer.rows);
    this.point(null);
    this.root.dataset.shown = String(text.length);
  }

  setView(name) {
    this.rowsRoot.className = `rows ${name}`;
    this.rowsRoot.replaceChildren();
    this.view = name === "cards" ? new CardsView(this.rowsRoot) : new AlignedView(this.rowsRoot);
    for (const button of this.root.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-checked", String(button.dataset.view === name));
    }
    if (this.answer) {
      this.drawLegend();
      this.view.show(this.text, this.answer.rows);
    }
  }

  drawFigures() {
    const { rows } = this.answer;
    const head = ["tokenizer", "tokens", `saved against ${rows[0]?.tokenizer_name ?? "the first"}`, "bytes per token", "characters per token", "tokens per word", "boundaries shared", "vocabulary"];
    const headRow = make("tr");
    headRow.append(...head.map((name) => make("th", "", name)));
    this.root.querySelector("thead").replaceChildren(headRow);
    const fraction = (x) => (this.text ? x.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }) : "–");
    this.root.querySelector("tbody").replaceChildren(
      ...rows.map((row, r) => {
        const name = make("td", "", row.tokenizer_name), dot = make("span", "dot");
        dot.style.background = this.data.colors[r];
        name.prepend(dot);
        const cells = [
          r ? signed(row.tokens_saved) : "–",
          fraction(row.bytes_per_token),
          fraction(row.characters_per_token),
          fraction(row.tokens_per_word),
          this.text ? `${Math.round(row.shared_boundaries * 100)} %` : "–",
          count(row.n_vocab),
        ];
        const line = make("tr");
        line.append(name, make("td", "count", count(row.n_tokens)), ...cells.map((text) => make("td", "", text)));
        return line;
      }),
    );
  }

  drawLegend() {
    const { agreement, rows } = this.answer;
    const legend = this.root.querySelector(".legend");
    if (!agreement || rows.length < 2 || this.rowsRoot.classList.contains("cards")) return legend.replaceChildren();
    const kinds = [["all", agreement.in_all, "in all"], ["some", agreement.in_some, "in some"], ["one", agreement.in_one, "in one only"]];
    legend.replaceChildren(
      make("span", "", "Boundaries:"),
      ...kinds
        .filter(([kind]) => kind !== "some" || rows.length > 2)
        .map(([kind, n, name]) => {
          const item = make("span", "", `${count(n)} ${name}`);
          item.prepend(make("i", kind));
          return item;
        }),
    );
  }

  point(column) {
    this.view.light(column);
    this.root.querySelector(".about").textContent = column ? this.describe(column) : this.text ? "Point at a token: every row marks the tokens that cover it." : "An empty text has no tokens. Type one, or choose an example above.";
  }

  describe({ from, to }) {
    return this.answer.rows
      .map((row) => {
        const names = [];
        for (let group = groupAt(row, from); group < row.positions.length && row.positions[group] < to; group++) {
          const [first, end] = tokensOf(row, group);
          const text = this.text.slice(row.positions[group], row.positions[group + 1] ?? this.text.length);
          names.push(`“${shorten(cellText(text), 30)}” ${Array.from(row.ids.subarray(first, Math.min(end, first + 8))).join(" ")}${end - first > 8 ? " …" : ""}`);
        }
        return `${row.tokenizer_name}: ${names.slice(0, 6).join(", ")}`;
      })
      .join("\n");
  }

  /** Say what is wrong, or that it is no longer, for one reason. What is shown then may be of an older text. */
  problem(reason, sentence) {
    if ((this.problems[reason] ?? "") === sentence) return;
    this.problems[reason] = sentence;
    this.root.classList.toggle("stale", Boolean(this.problems.text || this.problems.server));
    this.drawNotes();
  }

  drawNotes() {
    const notes = Object.values(this.problems).filter(Boolean).map((sentence) => note(sentence, "error"));
    const undo = this.field.undoNote();
    this.root.querySelector(".notes").replaceChildren(...notes, ...(undo ? [undo] : []));
  }
}

const shorten = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}…` : text);
const signed = (n) => (n > 0 ? `+${count(n)}` : count(n).replace("-", "−"));
