// The film of a run: a text and a word after k merges. The browser has all frames, so changing k needs no request.
// Text, trees, lists and curve show the same merge; choosing a merge in one changes all.

import { dataOf, element, find, joined, showIcon } from "../shared/element.js";
import { ForestView } from "../shared/forest_view.js";
import { makeSegments } from "../shared/segments.js";
import { colorBetween, layTokens, makeToken } from "../shared/token_strip.js";
import { utf8Length } from "../shared/unicode.js";
import { count, counted, times } from "../shared/wording.js";
import { Curve } from "./curve.js";
import { MergeList } from "./merge_list.js";

/**
 * All tokens that the text ever has, as columns: start and end in bytes, the merge that makes the token, and the
 * merge that uses it up (-1: none). See `server/train/film.py`.
 * @typedef {import("../shared/wire_types.d.ts").TokenColumns} Tokens
 */

/** @typedef {{text: string, color: number, ids: number[], isNew: boolean, isPair: boolean}} Shown a segment of a frame */

/**
 * Indices of the tokens that exist after k merges, in the order of the text.
 * @param {Tokens} tokens
 * @param {number} k
 */
export function visibleTokens({ start, made, gone }, k) {
  const places = [];
  for (let i = 0; i < made.length; i++) if (made[i] <= k && (gone[i] < 0 || gone[i] > k)) places.push(i);
  return places.toSorted((a, b) => start[a] - start[b]);
}

/**
 * The text after k merges; the ids in `pair` are marked where they are neighbours, and `nPairs` counts these places.
 * @param {string} text
 * @param {Tokens} tokens
 * @param {number} k
 * @param {[number, number] | null} pair
 * @returns {{segments: Shown[], nTokens: number, nPairs: number}}
 */
export function textFrame(text, tokens, k, pair) {
  const places = visibleTokens(tokens, k);
  const isLeft = places.map((at, i) => pair !== null && tokens.id[at] === pair[0] && tokens.id[places[i + 1]] === pair[1]);
  let last = -1;
  const segments = makeSegments(text, places.map((at) => tokens.end[at] - tokens.start[at])).map(({ text: shown, first, last: end }) => {
    const group = places.slice(first, end), color = tokens.color[group[0]];
    last = color === last ? colorBetween(last) : color;
    return {
      text: shown,
      color: last,
      ids: group.map((at) => tokens.id[at]),
      isNew: k > 0 && group.some((at) => tokens.made[at] === k),
      isPair: isLeft.slice(Math.max(first - 1, 0), end).some(Boolean),
    };
  });
  return { segments, nTokens: places.length, nPairs: isLeft.filter(Boolean).length };
}

const FRAME_MS = 40;
/** @typedef {import("../shared/wire_types.d.ts").FilmView} Data */

export class Film {
  /** `onWord(word)` is called when a word is typed. @param {HTMLElement} root @param {AbortSignal} signal @param {(word: string) => void} onWord */
  constructor(root, signal, onWord) {
    this.root = root;
    this.k = -1;
    this.run = 0;
    /** @type {Data | null} */
    this.data = null;
    this.drawnForest = "";
    this.slider = find(root, ".k", HTMLInputElement);
    this.word = find(root, ".word", HTMLInputElement);
    this.playButton = find(root, ".play", HTMLButtonElement);
    this.pane = find(root, ".tokens");
    this.forest = new ForestView(find(root, ".forest"), find(root, ".about"), signal);
    const onMerge = (/** @type {number} */ k) => !this.isLive && this.stopAt(k);
    this.curve = new Curve(find(root, ".curve"), signal, onMerge);
    this.list = new MergeList(find(root, ".merges"), signal, onMerge);
    this.pairs = find(root, ".pairs");
    this.guessButton = find(root, ".guess", HTMLButtonElement);
    this.isGuessing = false;
    /** @type {import("../shared/wire_types.d.ts").BesideView[]} */
    this.beside = [];
    /** @type {{k: number, pair: string} | null} the pair that was guessed after merge k */
    this.guess = null;
    this.guessButton.addEventListener("click", () => this.toggleGuess(), { signal });
    this.pane.addEventListener("click", (event) => {
      const at = dataOf(event, "at"), word = at && this.data ? wordAt(this.data.text, Number(at)) : "";
      if (word) onWord(word);
    }, { signal });
    /** @type {[number, number] | null} the pair that is marked in the text */
    this.mark = null;
    this.pairs.addEventListener("click", (event) => this.choosePair(event.target), { signal });
    this.pairs.addEventListener("keydown", (event) => this.walkPairs(event), { signal });
    this.slider.addEventListener("input", () => this.stopAt(Number(this.slider.value)), { signal });
    this.playButton.addEventListener("click", () => this.togglePlay(), { signal });
    this.word.addEventListener("input", () => onWord(this.word.value), { signal });
    this.stop();
  }

  get isLive() {
    return this.data?.is_live ?? false;
  }

  /**
   * @param {Data} data @param {number} run @param {import("./curve.js").UnitName} unit
   * @param {import("../shared/wire_types.d.ts").BesideView[]} beside
   */
  show(data, run, unit, beside) {
    this.beside = beside;
    const old = this.data, isNew = old?.n !== data.n || this.run !== run;
    this.data = data;
    this.run = run;
    this.slider.disabled = this.playButton.disabled = data.is_live || !data.n;
    if (!this.word.matches(":focus")) this.word.value = data.word;
    if (isNew) {
      this.stop();
      this.mark = null;
    }
    this.slider.max = String(data.last);
    this.drawCurve(data, unit);
    this.go(data, isNew ? data.n : this.k);
    if (!data.is_live) this.reveal(".new");
  }

  /** @param {Data} data @param {import("./curve.js").UnitName} unit */
  drawCurve(data, unit) {
    this.curve.show(data.curve, data.last, unit, this.beside);
    const merges = [...new Set(data.forest.made)].filter((k) => k > 0);
    this.curve.markWord(merges);
    find(this.root, ".marks-line").textContent = merges.length ? `○ ${counted(merges.length, "merge")} of “${data.word.trim()}”` : "";
  }

  /** Scroll the text to the first match of `selector`, unless one is in view already. @param {string} selector */
  reveal(selector) {
    const home = this.pane.getBoundingClientRect();
    const spans = [...this.pane.querySelectorAll(selector)].map((span) => span.getBoundingClientRect());
    if (!spans.length || spans.some((span) => span.top >= home.top && span.bottom <= home.bottom)) return;
    this.pane.scrollTop += spans[0].top - home.top - home.height / 3;
  }

  // ---- moving through the merges

  /** Show the text after k merges, and stop playing. @param {number} k */
  stopAt(k) {
    this.stop();
    if (this.data) this.go(this.data, k);
  }

  /** Show an earlier or later merge, unless a run is live. @param {number} by */
  stepBy(by) {
    if (!this.isLive) this.stopAt(this.k + by);
  }

  /** Draw the texts of the runs beside this one after the same number of merges. */
  drawBeside() {
    const panes = this.beside.map(({ title, text, tokens, n }, i) => {
      const { segments, nTokens } = textFrame(text, tokens, Math.min(this.k, n), null), pane = element("div", "tokens"), part = element("div");
      pane.dir = "auto";
      pane.tabIndex = 0;
      pane.setAttribute("role", "region");
      pane.setAttribute("aria-label", `Text as tokens of ${title}`);
      pane.replaceChildren(layTokens(segments.map(({ text: shown, color, ids, isNew }) => makeToken(shown, { color, nTokens: ids.length, marks: true, kinds: isNew ? ["new"] : [] }))));
      part.style.setProperty("--line-color", `var(--beside-${i + 1})`);
      part.append(element("h3", "", title), pane, element("p", "counts", inTokens(text, nTokens)));
      return part;
    });
    const home = find(this.root, ".beside"), places = [...home.querySelectorAll(".tokens")].map((pane) => pane.scrollTop);
    home.replaceChildren(...panes);
    home.querySelectorAll(".tokens").forEach((pane, i) => (pane.scrollTop = places[i] ?? 0));
  }

  /** @param {Data} data @param {number} k */
  go(data, k) {
    this.k = Math.max(0, Math.min(data.n, k));
    this.slider.value = String(this.k);
    find(this.root, ".where").textContent = `${count(this.k)} of ${count(data.is_live ? data.last : data.n)}`;
    this.root.dataset.k = String(this.k);
    this.drawText(data);
    this.drawBeside();
    this.drawForest(data);
    this.list.show(data, this.k);
    this.drawPairs(data);
    find(this.root, ".merge-line").replaceChildren(...mergeLine(data, this.k));
    this.curve.mark(this.k);
  }

  /** Play from the current merge to the end, or from the start; the first merges are slower, because they change most. @param {Data} data */
  play(data) {
    const { n } = data, from = secondsFor(this.k >= n ? 0 : this.k);
    const begun = performance.now();
    showIcon(this.playButton, "pause", "Stop playing");
    this.timer = setInterval(() => {
      const k = mergesAfter(from + (performance.now() - begun) / 1000);
      if (k !== this.k) this.go(this.data ?? data, k);
      if (k >= n) this.stop();
    }, FRAME_MS);
  }

  togglePlay() {
    if (this.timer) this.stop();
    else if (this.data?.n && !this.isLive) this.play(this.data);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    showIcon(this.playButton, "play", "Play");
  }

  // ---- drawing

  /** @param {Data} data */
  drawText({ text, tokens }) {
    const { mark } = this, { segments, nTokens, nPairs } = textFrame(text, tokens, this.k, mark);
    let at = 0;
    const spans = segments.map(({ text: shown, color, ids, isNew, isPair }) => {
      const kinds = [isNew && "new", isPair && "pair"].filter((kind) => kind !== false);
      const token = makeToken(shown, { color, nTokens: ids.length, marks: true, kinds });
      token.dataset.at = String(at);
      at += shown.length;
      token.title = `${ids.length > 1 ? "ids" : "id"} ${ids.join(", ")}`;
      return token;
    });
    this.pane.replaceChildren(layTokens(spans));
    const what = mark ? `; the chosen pair ${nPairs ? `occurs here ${times(nPairs)}` : "does not occur in this text"}` : "";
    find(this.root, ".counts").textContent = `${inTokens(text, nTokens)}${what}.`;
  }

  /** Draw the most frequent pairs at the current merge as bars; unless a run is live, a pair can be chosen. @param {Data} data */
  drawPairs(data) {
    const { labels, is_live } = data, { k: countedAt, pairs } = pairsAt(data, this.k), winner = winnerAt(data, this.k);
    const most = data.earlier_pairs[0]?.[1][0]?.[2] ?? pairs[0]?.[2] ?? 1; // the bars get shorter while the run goes on
    const guessed = this.guess?.k === this.k ? this.guess.pair : null, isHidden = this.isGuessing && guessed === null && !is_live;
    const order = isHidden ? pairs.toSorted((a, b) => (labels[a[0]] + labels[a[1]] < labels[b[0]] + labels[b[1]] ? -1 : 1)) : pairs;
    find(this.root, ".pairs-title").textContent = isHidden ? "Which pair is merged next?" : pairsTitle(data, this.k, countedAt);
    /** @type {Map<string | undefined, HTMLElement>} */
    const before = new Map([...this.pairs.children].map((row) => [row.id, /** @type {HTMLElement} */ (row)]));
    const rows = order.map(([left, right, n], place) => {
      const id = `pair-row-${left}-${right}`, row = before.get(id) ?? makeBar(id, labels[left], labels[right]);
      row.dataset.pair = String(pairs.findIndex((pair) => pair[0] === left && pair[1] === right));
      row.setAttribute("aria-selected", String(this.isMarked([left, right])));
      row.classList.toggle("next", !isHidden && winner?.[0] === left && winner[1] === right);
      row.style.setProperty("--place", String(place));
      row.style.setProperty("--share", String(n / most));
      /** @type {HTMLElement} */ (row.lastElementChild).textContent = isHidden ? "" : count(n);
      return row;
    });
    if (!rows.length) {
      const none = element("div", "none", "No pair is left.");
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      rows.push(none);
    }
    const kept = new Set(rows);
    for (const row of before.values()) if (!kept.has(row)) row.remove();
    for (const row of this.pairs.querySelectorAll(".none")) row.remove();
    this.pairs.append(...rows.filter((row) => row.parentNode !== this.pairs)); // rows that stay move by their transform
    this.pairs.classList.toggle("hidden-counts", isHidden);
    this.pairs.toggleAttribute("aria-disabled", is_live);
    this.guessButton.disabled = is_live;
    find(this.root, ".guess-answer").textContent = guessed !== null && winner ? guessAnswer(guessed, winner, pairs, labels) : "";
  }

  toggleGuess() {
    this.isGuessing = !this.isGuessing;
    this.guess = null;
    this.guessButton.setAttribute("aria-pressed", String(this.isGuessing));
    this.stopAt(this.k);
  }

  /** Highlight a chosen pair in the newest text, or remove the highlight. @param {EventTarget | null} target */
  choosePair(target) {
    const { data } = this, row = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".row")) : null;
    if (!data || data.is_live || !row) return;
    const [left, right] = pairsAt(data, this.k).pairs[Number(row.dataset.pair)];
    if (this.isGuessing && this.guess?.k !== this.k) this.guess = { k: this.k, pair: `${left} ${right}` };
    this.markPair(data, Number(row.dataset.pair));
  }

  /** @param {KeyboardEvent} event */
  walkPairs(event) {
    const { data } = this, by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!data || data.is_live || !by) return;
    event.preventDefault();
    event.stopPropagation();
    const { pairs } = pairsAt(data, this.k), at = pairs.findIndex((pair) => this.isMarked(pair));
    const next = Math.max(0, Math.min(pairs.length - 1, at + by));
    if (next !== at) this.markPair(data, next);
  }

  /** Highlight a listed pair in the text, or remove the highlight. @param {Data} data @param {number} place */
  markPair(data, place) {
    const [left, right] = pairsAt(data, this.k).pairs[place];
    this.mark = this.isMarked([left, right]) ? null : [left, right];
    this.stopAt(this.k);
    this.reveal(".pair");
  }

  /** @param {number[]} pair */
  isMarked([left, right]) {
    return this.mark?.[0] === left && this.mark[1] === right;
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

/**
 * The most frequent pairs after merge k, or those of the last earlier merge that has a record, and the merge after
 * which they were counted.
 * @param {Pick<Data, "pairs" | "earlier_pairs" | "n">} data @param {number} k
 * @returns {{k: number, pairs: [left: number, right: number, count: number][]}}
 */
export function pairsAt({ pairs, earlier_pairs, n }, k) {
  const record = k >= n ? undefined : earlier_pairs.findLast(([at]) => at <= k);
  return record ? { k: record[0], pairs: record[1] } : { k, pairs: k >= n ? pairs : [] };
}

/** The pair of the merge after merge k, as `[left, right, …]`. @param {Pick<Data, "pairs" | "merges" | "n" | "is_over">} data @param {number} k */
function winnerAt({ pairs, merges, n, is_over }, k) {
  return k >= n ? (is_over ? undefined : pairs[0]) : merges.rows[k - merges.first];
}

/** The title of the list of pairs. @param {Pick<Data, "is_over" | "n">} data @param {number} k @param {number} countedAt */
export function pairsTitle({ is_over, n }, k, countedAt) {
  if (countedAt < k) return `pairs as counted after merge ${count(countedAt)}`;
  return k >= n && is_over ? "pairs left (get_stats)" : `pairs after merge ${count(k)} (get_stats)`;
}

/**
 * Say whether a guessed pair, its ids with a space between them, is the next merge.
 * @param {string} guessed @param {number[]} winner @param {[number, number, number][]} pairs @param {Data["labels"]} labels
 */
function guessAnswer(guessed, winner, pairs, labels) {
  const name = `${labels[winner[0]]} + ${labels[winner[1]]}`;
  if (guessed === `${winner[0]} ${winner[1]}`) return `Yes: ${name} is merged next.`;
  const n = pairs.find(([left, right]) => guessed === `${left} ${right}`)?.[2] ?? 0;
  return `No: ${name} is merged next. Your pair occurs ${times(n)}.`;
}

/** @param {string} text @param {number} nTokens */
const inTokens = (text, nTokens) => `${counted(nTokens, "token")} here, ${nTokens ? (utf8Length(text) / nTokens).toFixed(2) : "0"} bytes per token`;

/** @param {string} id @param {string} left @param {string} right */
function makeBar(id, left, right) {
  const row = element("div", "row"), what = element("span", "what"), track = element("span", "track");
  row.id = id;
  row.setAttribute("role", "option");
  what.append(...joined([left, right]));
  track.append(element("div", "bar-of-pair"));
  row.append(what, track, element("span", ""));
  return row;
}

/** The word around a place of a text, with the space before it, at most 40 characters; "" beside words. @param {string} text @param {number} at */
export function wordAt(text, at) {
  for (const { 0: word, index } of text.matchAll(/ ?[\p{L}\p{M}\p{N}]+/gu)) if (index <= at && at < index + word.length) return word.slice(0, 40);
  return "";
}

/** The merges that a film has shown after some seconds: two a second for the first twenty, then more and more. @param {number} seconds */
export const mergesAfter = (seconds) => Math.floor(seconds < 10 ? 2 * seconds : 16 + 4 * Math.exp((seconds - 10) / 2));

/** The seconds after which a film has shown k merges: the inverse of `mergesAfter`. @param {number} k */
export const secondsFor = (k) => (k < 20 ? k / 2 : 10 + 2 * Math.log((k - 16) / 4));

/** Describe the current merge: what it joined, how often, and what comes next. @param {Pick<Data, "pairs" | "merges" | "n" | "labels" | "is_over">} data @param {number} k */
function mergeLine({ merges, labels, pairs, is_over, n }, k) {
  /** @type {(string | Node)[]} */
  const parts = [];
  const code = (/** @type {number} */ id) => element("code", "", labels[id]);
  const at = merges.rows[k - 1 - merges.first], after = merges.rows[k - merges.first] ?? (k === n && !is_over ? pairs[0] : undefined);
  if (at) parts.push(code(at[0]), " + ", code(at[1]), " → ", code(at[2]), `, ${times(at[3])}, ${counted(at[4], "token")} left`);
  if (after) parts.push(parts.length ? "; next " : "Next: ", code(after[0]), " + ", code(after[1]));
  return parts;
}
