// The film of a training: a text and a word as they are after k merges, with k on a slider and on the chart.
// All pictures come in one list of tokens, so moving k asks the server for nothing. Whatever shows a merge, text, forest,
// list and chart, shows the same one, and choosing one in any of them moves all.

import { element, find, joined } from "../shared/element.js";
import { ForestView } from "../shared/forest_view.js";
import { showIcon } from "../shared/icons.js";
import { component } from "../shared/mount.js";
import { count, counted, times } from "../shared/numbers.js";
import { layTokens, makeToken } from "../shared/token_strip.js";
import { utf8Length } from "../shared/utf8.js";
import { ChartLine } from "./chart_line.js";
import { textFrame, visibleTokens } from "./frames.js";
import { MergeList } from "./merge_list.js";

const FILM_MS = 12_000;
const FRAME_MS = 40;
const WORD_MS = 2_000;

/** What the page gives; see `ui/train/film_view.py`. @typedef {import("../shared/wire_types.d.ts").FilmData} Data */
/** What it says to the page. @typedef {import("../shared/wire_types.d.ts").FilmEvent} Said */

export default component(".film", (root, signal) => new Film(root, signal));

class Film {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.k = -1;
    /** @type {Data | null} */
    this.data = null;
    this.drawnForest = "";
    /** @type {string | undefined} the word that is on its way to the server */
    this.sent = undefined;
    this.sentAt = 0;
    this.setStateValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    this.slider = find(root, ".k", HTMLInputElement);
    this.word = find(root, ".word", HTMLInputElement);
    this.playButton = find(root, ".play", HTMLButtonElement);
    this.pane = find(root, ".tokens");
    this.forest = new ForestView(find(root, ".forest"), find(root, ".about"), signal);
    const onMerge = (/** @type {number} */ k) => {
      if (this.data && !this.data.is_live) this.stopAt(this.data, k);
    };
    this.line = new ChartLine(onMerge);
    this.list = new MergeList(find(root, ".merges"), signal, onMerge);
    this.pairs = find(root, ".pairs");
    /** @type {[number, number] | null} the pair that is marked in the text */
    this.mark = null;
    this.pairs.addEventListener("click", (event) => this.choosePair(event.target), { signal });
    this.pairs.addEventListener("keydown", (event) => this.walkPairs(event), { signal });
    this.slider.addEventListener("input", () => this.data && this.stopAt(this.data, Number(this.slider.value)), { signal });
    this.playButton.addEventListener("click", () => (this.timer ? this.stop() : this.data && this.play(this.data)), { signal });
    this.word.addEventListener("input", () => this.ask(), { signal });
  }

  destroy() {
    this.stop();
    this.line.detach();
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    const old = this.data, isNew = old?.n !== data.n || old.run !== data.run;
    if (data.revision === old?.revision) return this.placeLine(data);
    this.data = data;
    this.slider.max = String(data.n);
    this.slider.disabled = this.playButton.disabled = data.is_live || !data.n;
    if (this.sent === data.word) {
      this.sent = undefined;
      if (this.word.value !== data.word) this.ask();
    } else if (this.sent === undefined && this.word.value !== data.word) {
      this.word.value = data.word;
    }
    if (isNew) {
      this.stop();
      this.mark = null;
    }
    const isWished = old !== null && data.wished !== null && data.wished[1] !== old.wished?.[1];
    if (isWished) this.stop();
    this.go(data, isWished ? data.wished?.[0] ?? data.n : isNew ? data.n : this.k);
    this.drawPairs(data);
    if (!data.is_live) this.reveal(".new");
  }

  /** Scroll the text so that what is pointed out can be seen, unless some of it can be seen already. @param {string} selector */
  reveal(selector) {
    const home = this.pane.getBoundingClientRect();
    const spans = [...this.pane.querySelectorAll(selector)].map((span) => span.getBoundingClientRect());
    if (!spans.length || spans.some((span) => span.top >= home.top && span.bottom <= home.bottom)) return;
    this.pane.scrollTop += spans[0].top - home.top - home.height / 3;
  }

  /** One word is on its way at a time; the newest wins. */
  ask() {
    if (this.sent !== undefined && performance.now() - this.sentAt < WORD_MS) return;
    this.sent = this.word.value;
    this.sentAt = performance.now();
    this.setStateValue("word", this.sent);
  }

  // ---- moving through the merges

  /** @param {Data} data @param {number} k */
  stopAt(data, k) {
    this.stop();
    this.go(data, k);
  }

  /** @param {Data} data @param {number} k */
  go(data, k) {
    this.k = Math.max(0, Math.min(data.n, k));
    this.slider.value = String(this.k);
    find(this.root, ".where").textContent = `${count(this.k)} of ${count(data.n)}`;
    this.root.dataset.k = String(this.k);
    this.drawText(data);
    this.drawForest(data);
    this.list.show(data, this.k);
    find(this.root, ".pairs-title").textContent = pairsTitle(data, this.k);
    find(this.root, ".told").replaceChildren(...tellMerge(data, this.k));
    this.placeLine(data);
  }

  /** @param {Data} data */
  placeLine(data) {
    const container = data.chart ? /** @type {HTMLElement | null} */ (document.querySelector(`.st-key-${data.chart}`)) : null;
    this.line.show(container, data.is_live ? -1 : this.k, data.last);
  }

  /** From the merge in view to the end, or from the start; slowly first, where merges do most. @param {Data} data */
  play(data) {
    const { n } = data, first = this.k >= n ? 0 : this.k, from = Math.sqrt(first / n);
    const begun = performance.now();
    showIcon(this.playButton, "pause", "Pause");
    this.timer = setInterval(() => {
      const t = from + (performance.now() - begun) / FILM_MS;
      this.go(this.data ?? data, Math.round(t * t * n));
      if (t >= 1) this.stop();
    }, FRAME_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    showIcon(this.playButton, "play", "Play");
  }

  // ---- drawing

  /** @param {Data} data */
  drawText({ text, tokens, limit }) {
    const { mark } = this, { segments, nTokens, nPairs } = textFrame(text, tokens, this.k, mark);
    const spans = segments.map(({ text: shown, color, ids, isNew, isPair }) => {
      const kinds = [isNew && "new", isPair && "pair"].filter((kind) => kind !== false);
      const token = makeToken(shown, { color, nTokens: ids.length, marks: true, kinds });
      token.title = `${ids.length > 1 ? "ids" : "id"} ${ids.join(", ")}`;
      return token;
    });
    this.pane.replaceChildren(layTokens(spans));
    const perToken = nTokens ? (utf8Length(text) / nTokens).toFixed(2) : "0";
    const what = mark ? `; the chosen pair ${nPairs ? `stands here ${times(nPairs)}` : "is not in this part of the text"}` : "";
    find(this.root, ".counts").textContent = `${counted(nTokens, "token")} here, ${perToken} bytes a token${what}. ${limit}`;
  }

  /** The most frequent pairs of the newest state; a run that holds still lets one be chosen. @param {Data} data */
  drawPairs({ pairs, spelled, is_live }) {
    const rows = pairs.map(([left, right, n], i) => {
      const row = element("div", "row");
      row.id = `pair-row-${i}`;
      row.dataset.pair = String(i);
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(this.mark !== null && this.mark[0] === left && this.mark[1] === right));
      const what = element("span", "what");
      what.append(...joined([spelled[left], spelled[right]]));
      row.append(what, element("span", "", count(n)));
      return row;
    });
    if (!rows.length) {
      const none = element("div", "none", "No pair is left.");
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      rows.push(none);
    }
    this.pairs.replaceChildren(...rows);
    this.pairs.toggleAttribute("aria-disabled", is_live);
  }

  /** Mark a pair where it stands in the newest text, or no longer. @param {EventTarget | null} target */
  choosePair(target) {
    const { data } = this, row = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".row")) : null;
    if (!data || data.is_live || !row) return;
    this.markPair(data, Number(row.dataset.pair));
  }

  /** @param {KeyboardEvent} event */
  walkPairs(event) {
    const { data } = this, by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!data || data.is_live || !by || !data.pairs.length) return;
    event.preventDefault();
    const at = data.pairs.findIndex(([left, right]) => this.mark?.[0] === left && this.mark[1] === right);
    const next = Math.max(0, Math.min(data.pairs.length - 1, at + by));
    if (next !== at) this.markPair(data, next);
  }

  /** @param {Data} data @param {number} place */
  markPair(data, place) {
    const [left, right] = data.pairs[place];
    this.mark = this.mark?.[0] === left && this.mark[1] === right ? null : [left, right];
    this.stopAt(data, data.n);
    this.drawPairs(data);
    this.reveal(".pair");
  }

  /** @param {Data} data */
  drawForest({ forest }) {
    /** @type {Map<number, string>} */
    const groups = new Map();
    for (const place of visibleTokens(forest, this.k)) {
      const pretoken = forest.pretoken[place];
      groups.set(pretoken, (groups.get(pretoken) ?? "") + forest.svg[place]);
    }
    const wanted = [...groups.values()], drawn = wanted.join("\n");
    if (drawn === this.drawnForest && drawn) return;
    this.drawnForest = drawn;
    this.forest.fitType();
    this.forest.show(wanted);
  }
}

/** Which state the listed pairs are of: always the newest, whatever merge is in view. @param {Data} data @param {number} k */
export function pairsTitle({ is_over, n }, k) {
  if (k < n) return `pairs after merge ${count(n)} (get_stats)`;
  return is_over ? "pairs left (get_stats)" : "next pairs (get_stats)";
}

/** The merge in view in words: what it joined, how often, and what comes next. @param {Data} data @param {number} k */
export function tellMerge({ told, spelled, pairs, is_over, n }, k) {
  /** @type {(string | Node)[]} */
  const parts = [];
  const code = (/** @type {number} */ id) => element("code", "", spelled[id]);
  const at = told.rows[k - 1 - told.first], after = told.rows[k - told.first] ?? (k === n && !is_over ? pairs[0] : undefined);
  if (at) parts.push(code(at[0]), " + ", code(at[1]), " → ", code(at[2]), `, ${times(at[3])}, ${counted(at[4], "token")} left`);
  if (after) parts.push(parts.length ? "; next " : "Next: ", code(after[0]), " + ", code(after[1]));
  return parts;
}
