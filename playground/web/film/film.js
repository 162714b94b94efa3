// The film of a training: a text and a word as they are after k merges, with k on a slider and on the chart.
// All pictures come in one list of tokens (see training.film), so moving k asks the server for nothing.

import { ForestView } from "../shared/forest_view.js";
import { component } from "../shared/mount.js";
import { ChartLine } from "./chart_line.js";

const FILM_MS = 12_000;
const N_COLORS = 5;
const encoder = new TextEncoder(), decoder = new TextDecoder();
const SHOWN = { "\n": "⏎\n", "\t": "→\t", "\r": "␍" };

export default component(".film", (root) => new Film(root));

class Film {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.slider = this.find(".k");
    this.word = this.find(".word");
    this.forest = new ForestView(this.find(".forest"), this.find(".about"));
    this.line = new ChartLine((k) => this.data.is_live || (this.stop(), this.go(k)));
    this.slider.addEventListener("input", () => (this.stop(), this.go(Number(this.slider.value))));
    this.find(".play").addEventListener("click", () => (this.timer ? this.stop() : this.play()));
    this.word.addEventListener("input", () => this.ask());
  }

  destroy() {
    this.stop();
    this.line.detach();
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    const isNew = this.data?.n !== data.n || this.data?.run !== data.run;
    if (data.revision === this.data?.revision) return this.placeLine();
    this.data = data;
    this.bytes = encoder.encode(data.text);
    this.cuts = data.cuts && new Set(data.cuts);
    this.slider.max = data.n;
    this.slider.disabled = this.find(".play").disabled = data.is_live || !data.n;
    if (this.sent === data.word) {
      this.sent = undefined;
      if (this.word.value !== data.word) this.ask();
    } else if (this.sent === undefined && this.word.value !== data.word) {
      this.word.value = data.word;
    }
    if (isNew) this.stop();
    this.go(isNew || this.k === undefined ? data.n : this.k);
    if (!data.is_live) this.reveal(data.mark ? ".pair" : ".new");
  }

  /** Scroll the text so that what is pointed out can be seen, unless some of it can be seen already. */
  reveal(selector) {
    const pane = this.find(".tokens"), home = pane.getBoundingClientRect();
    const spans = [...pane.querySelectorAll(selector)].map((span) => span.getBoundingClientRect());
    if (!spans.length || spans.some((span) => span.top >= home.top && span.bottom <= home.bottom)) return;
    pane.scrollTop += spans[0].top - home.top - home.height / 3;
  }

  /** One word is on its way at a time; the newest wins. */
  ask() {
    if (this.sent !== undefined && performance.now() - this.sentAt < 2000) return;
    this.sent = this.word.value;
    this.sentAt = performance.now();
    this.setStateValue("word", this.sent);
  }

  // ---- moving through the merges

  go(k) {
    this.k = Math.max(0, Math.min(this.data.n, k));
    this.slider.value = this.k;
    this.find(".where").textContent = `${number(this.k)} of ${number(this.data.n)}`;
    this.root.dataset.k = this.k;
    this.drawText();
    this.drawForest();
    this.tell();
    this.placeLine();
  }

  placeLine() {
    const container = this.data.chart && document.querySelector(`.st-key-${this.data.chart}`);
    this.line.show(container || null, this.data.is_live ? -1 : this.k, this.data.last);
  }

  /** From the merge in view to the end, or from the start; slowly first, where merges do most. */
  play() {
    const { n } = this.data, first = this.k >= n ? 0 : this.k, from = Math.sqrt(first / n);
    const begun = performance.now();
    this.find(".play").textContent = "Pause";
    this.timer = setInterval(() => {
      const t = from + (performance.now() - begun) / FILM_MS;
      this.go(Math.min(n, Math.round(t * t * n)));
      if (t >= 1) this.stop();
    }, 40);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.find(".play").textContent = "Play";
  }

  // ---- drawing

  /** Places of the tokens after k merges, in text order. */
  visible({ start, made, gone }) {
    const places = [];
    for (let i = 0; i < made.length; i++) if (made[i] <= this.k && (gone[i] < 0 || gone[i] > this.k)) places.push(i);
    return places.sort((a, b) => start[a] - start[b]);
  }

  drawText() {
    const { tokens, mark } = this.data, places = this.visible(tokens);
    const isPair = places.map(() => false);
    this.nPairs = 0;
    for (let i = 0; mark && i + 1 < places.length; i++) {
      if (tokens.id[places[i]] !== mark[0] || tokens.id[places[i + 1]] !== mark[1]) continue;
      isPair[i] = isPair[i + 1] = true;
      this.nPairs++;
    }
    const shown = [];
    let last = -1, from = 0;
    places.forEach((place, i) => {
      const end = tokens.end[place];
      if (this.cuts && !this.cuts.has(end)) return; // the character goes on in the next token
      const group = places.slice(from, i + 1), color = tokens.color[group[0]];
      last = color === last ? (color + 1) % N_COLORS : color;
      const span = document.createElement("span");
      const isMade = this.k > 0 && group.some((at) => tokens.made[at] === this.k);
      span.className = `tk${last}${isMade ? " new" : ""}${isPair.slice(from, i + 1).some(Boolean) ? " pair" : ""}`;
      span.title = `${group.length > 1 ? "ids" : "id"} ${group.map((at) => tokens.id[at]).join(", ")}`;
      span.textContent = showText(decoder.decode(this.bytes.subarray(tokens.start[group[0]], end)));
      shown.push(span);
      from = i + 1;
    });
    this.find(".tokens").replaceChildren(...shown);
    this.nTokens = places.length;
    const perToken = this.nTokens ? (this.bytes.length / this.nTokens).toFixed(2) : "0";
    const what = mark ? `; the chosen pair ${this.nPairs ? `stands here ${times(this.nPairs)}` : "is not in this part of the text"}` : "";
    this.find(".counts").textContent = `${number(this.nTokens)} tokens here, ${perToken} bytes a token${what}. ${this.data.limit}`;
  }

  drawForest() {
    const { forest } = this.data, groups = new Map();
    for (const place of this.visible(forest)) {
      const pretoken = forest.pretoken[place];
      groups.set(pretoken, [...(groups.get(pretoken) ?? []), place]);
    }
    const wanted = JSON.stringify([...groups.values()]);
    if (wanted === this.drawnForest && forest === this.forestData) return;
    Object.assign(this, { drawnForest: wanted, forestData: forest });
    this.forest.fitType();
    this.forest.show([...groups.values()].map((places) => places.map((place) => forest.svg[place]).join("")));
  }

  /** The merge in view in words: what it joined, how often, and what comes next. */
  tell() {
    const { told, spelled, next } = this.data, parts = [];
    const pair = (left, right) => [code(spelled[left]), " + ", code(spelled[right])];
    const at = told.rows[this.k - 1 - told.first], after = told.rows[this.k - told.first];
    if (at) parts.push(...pair(at[0], at[1]), " → ", code(spelled[at[2]]), `, ${times(at[3])}, ${number(at[4])} tokens left`);
    const coming = after ?? (this.k === this.data.n ? next : null);
    if (coming) parts.push(parts.length ? "; next " : "Next: ", ...pair(coming[0], coming[1]));
    this.find(".told").replaceChildren(...parts);
  }
}

const number = (n) => n.toLocaleString("en");
const times = (n) => (n === 1 ? "once" : `${number(n)} times`);
const showText = (text) => text.replace(/[\n\t\r]/g, (character) => SHOWN[character]);

function code(text) {
  const made = document.createElement("code");
  made.textContent = text;
  return made;
}
