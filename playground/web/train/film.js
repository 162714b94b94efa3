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
  return { segments, nTokens: places.filter((at) => tokens.id[at] !== LOST_TEXT).length, nPairs: isLeft.filter(Boolean).length };
}

const FRAME_MS = 40;
/** The id of text that no token stands for, such as the spaces between words of a table. */
const LOST_TEXT = -2;
/** @typedef {import("../shared/wire_types.d.ts").FilmView} Data */
/** @typedef {import("../shared/wire_types.d.ts").RunView} Run */

/**
 * The step that a run shows while the longest of the runs shows its step `k`: each shows the same share of its steps.
 * A vocabulary that grows and one that shrinks have no size in common but the last, so they can't share a size.
 * @param {Pick<Run, "n" | "last">} run @param {number} k @param {Pick<Run, "n" | "last">[]} runs
 */
export function stepAt({ n, last }, k, runs) {
  return k >= newestOf(runs) ? n : Math.min(n, Math.floor((k / longestOf(runs)) * last + 1e-9));
}

/** The first step of the longest run at which a run shows `step`: the inverse of `stepAt`. @param {Pick<Run, "last">} run @param {number} step @param {Pick<Run, "last">[]} runs */
export const positionOf = ({ last }, step, runs) => Math.ceil((step / last) * longestOf(runs) - 1e-9);

/** The step of the longest run after which all that has been learned is shown. @param {Pick<Run, "n" | "last">[]} runs */
const newestOf = (runs) => Math.max(0, ...runs.map((run) => positionOf(run, run.n, runs)));

/** @param {Pick<Run, "last">[]} runs */
const longestOf = (runs) => Math.max(1, ...runs.map(({ last }) => last));

/** The name of the runs' steps: that of their algorithm, or "step" for different algorithms. @param {Run[]} runs */
export function stepName(runs) {
  const [first, ...others] = new Set(runs.map(({ curve }) => curve.step));
  return first === undefined || others.length ? "step" : first;
}

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
    const onMerge = (/** @type {number} */ k) => !this.isLive && this.data && this.stopAt(positionOf(this.data, k, this.runs));
    this.curve = new Curve(find(root, ".curve"), signal, onMerge);
    this.list = new MergeList(find(root, ".merges"), signal, onMerge);
    this.pairs = find(root, ".pairs");
    this.guessButton = find(root, ".guess", HTMLButtonElement);
    this.isGuessing = false;
    /** @type {Run[]} */
    this.beside = [];
    /** @type {ReturnType<typeof makePane>[]} */
    this.panes = [];
    /** @type {{k: number, pair: string} | null} the pair that was guessed after merge k */
    this.guess = null;
    this.guessButton.addEventListener("click", () => this.toggleGuess(), { signal });
    find(root, ".first").addEventListener("click", (event) => {
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

  /** The runs on the screen, the newest one first. `k` and the slider count the steps of the longest. */
  get runs() {
    return this.data ? [this.data, ...this.beside] : [];
  }

  get newest() {
    return newestOf(this.runs);
  }

  /** The step of the newest run that is shown. */
  get own() {
    return this.data ? stepAt(this.data, this.k, this.runs) : 0;
  }

  /**
   * @param {Data} data @param {number} run @param {import("./curve.js").UnitName} unit
   * @param {Run[]} beside
   */
  show(data, run, unit, beside) {
    const old = this.newest;
    this.beside = beside;
    this.data = data;
    const isNew = old !== this.newest || this.run !== run;
    this.run = run;
    this.slider.disabled = this.playButton.disabled = data.is_live || !this.newest;
    if (!this.word.matches(":focus")) this.word.value = data.word;
    if (isNew) {
      this.stop();
      this.mark = null;
    }
    this.slider.max = String(longestOf(this.runs));
    this.drawCurve(data, unit);
    this.go(data, isNew ? this.newest : this.k);
    if (!data.is_live) this.reveal(".new");
  }

  /** @param {Data} data @param {import("./curve.js").UnitName} unit */
  drawCurve(data, unit) {
    this.curve.show(data.curve, unit, this.beside);
    const merges = [...new Set(data.forest.made)].filter((k) => k > 0);
    this.curve.markWord(merges);
    find(this.root, ".marks-line").textContent = merges.length ? `○ ${counted(merges.length, data.curve.step)} in “${data.word.trim()}”` : "";
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

  /** Draw runs side by side, each after the same share of its steps: the step, the text, and the likeliest next changes. */
  drawTogether() {
    const runs = this.beside.length ? this.runs : [];
    if (this.panes.length !== runs.length) {
      this.panes = runs.map((_run, i) => makePane(i));
      const [newest, ...earlier] = this.panes.map(({ part }) => part);
      find(this.root, ".together").replaceChildren(...earlier, ...(newest ? [newest] : []));
    }
    runs.forEach((run, i) => {
      const { head, title, counts, line, text, by, pairs } = this.panes[i], k = stepAt(run, this.k, runs), { segments, nTokens } = textFrame(run.text, run.tokens, k, null);
      const { k: countedAt, candidates } = candidatesAt(run, k), { name } = run.curve;
      head.title = run.title;
      title.textContent = runs.some((other) => other !== run && other.curve.name === name) ? run.title : name;
      line.replaceChildren(...(k ? [`${run.curve.step} ${count(k)}: `] : []), ...stepLine(run, k));
      const top = text.scrollTop;
      text.setAttribute("aria-label", `Text as tokens of ${run.title}`);
      text.replaceChildren(layTokens(tokensOf(segments)));
      text.scrollTop = top;
      counts.textContent = `${counted(nTokens, "token")}, ${bytesPerToken(run.text, nTokens)} bytes each`;
      by.textContent = `${isFalling(run) ? "removed " : ""}next by ${run.score_name === "count" ? "count" : `${run.score_name} · count`}`;
      by.title = pairsTitle(run, k, countedAt, isMerging(run));
      layBars(pairs, run, candidates.slice(0, 4), winnerAt(run, k), `${i}-`);
    });
  }

  /** @param {Data} data @param {number} k */
  go(data, k) {
    this.k = Math.max(0, Math.min(this.newest, k));
    this.slider.value = String(this.k);
    const runs = this.runs, longest = longestOf(runs);
    find(this.root, ".where").textContent = this.beside.length ? `${Math.floor((100 * this.k) / longest)} % of each run` : `${count(this.k)} of ${count(data.is_live ? longest : this.newest)}`;
    this.root.dataset.k = String(this.k);
    this.drawText(data);
    this.drawTogether();
    this.drawForest(data);
    this.list.show(data, this.own);
    this.drawPairs(data);
    find(this.root, ".merge-line").replaceChildren(...mergeLine(data, this.own));
    this.curve.mark(runs.map((run) => stepAt(run, this.k, runs)));
  }

  /** Play from the current merge to the end, or from the start; the first merges are slower, because they change most. @param {Data} data */
  play(data) {
    const n = this.newest, from = secondsFor(this.k >= n ? 0 : this.k);
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
    else if (this.data && this.newest && !this.isLive) this.play(this.data);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    showIcon(this.playButton, "play", "Replay");
  }

  // ---- drawing

  /** @param {Data} data */
  drawText({ text, tokens }) {
    if (this.beside.length) return;
    const { mark } = this, { segments, nTokens, nPairs } = textFrame(text, tokens, this.own, mark);
    this.pane.replaceChildren(layTokens(tokensOf(segments)));
    const what = mark ? `; the chosen pair ${nPairs ? `occurs here ${times(nPairs)}` : "does not occur in this text"}` : "";
    find(this.root, ".counts").textContent = `${inTokens(text, nTokens)}${what}.`;
  }

  /** Draw the candidates at the current merge as bars of their scores; unless a run is live, a pair can be chosen. @param {Data} data */
  drawPairs(data) {
    const { labels, is_live } = data, { k: countedAt, candidates } = candidatesAt(data, this.own), winner = winnerAt(data, this.own);
    const isOfPairs = isMerging(data), guessed = this.guess?.k === this.own ? this.guess.pair : null, isHidden = this.isGuessing && isOfPairs && guessed === null && !is_live;
    const order = isHidden ? candidates.toSorted((a, b) => (labels[a[0]] + labels[a[1]] < labels[b[0]] + labels[b[1]] ? -1 : 1)) : candidates;
    find(this.root, ".pairs-title").textContent = isHidden ? "Which pair is merged next?" : pairsTitle(data, this.own, countedAt, isOfPairs);
    const rows = layBars(this.pairs, data, order, isHidden ? undefined : winner, "", isHidden);
    order.forEach((candidate, place) => {
      rows[place].dataset.pair = String(candidates.indexOf(candidate));
      rows[place].setAttribute("aria-selected", String(this.isMarked([candidate[0], candidate[1]])));
    });
    this.pairs.classList.toggle("hidden-counts", isHidden);
    this.pairs.toggleAttribute("aria-disabled", is_live);
    this.guessButton.disabled = is_live;
    this.guessButton.hidden = !isOfPairs;
    find(this.root, ".guess-answer").textContent = guessed !== null && winner ? guessAnswer(guessed, winner, candidates, labels) : "";
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
    const [left, right] = candidatesAt(data, this.own).candidates[Number(row.dataset.pair)];
    if (left < 0) return;
    if (this.isGuessing && this.guess?.k !== this.own) this.guess = { k: this.own, pair: `${left} ${right}` };
    this.markPair(data, Number(row.dataset.pair));
  }

  /** @param {KeyboardEvent} event */
  walkPairs(event) {
    const { data } = this, by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!data || data.is_live || !by) return;
    event.preventDefault();
    event.stopPropagation();
    const pairs = candidatesAt(data, this.own).candidates.filter(([left]) => left >= 0), at = pairs.findIndex(([left, right]) => this.isMarked([left, right]));
    const next = Math.max(0, Math.min(pairs.length - 1, at + by));
    if (pairs.length && next !== at) this.markPair(data, next);
  }

  /** Highlight a listed pair in the text, or remove the highlight. @param {Data} data @param {number} place */
  markPair(data, place) {
    const [left, right] = candidatesAt(data, this.own).candidates[place];
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
    for (const place of visibleTokens(forest, this.own)) {
      const pretoken = forest.pretoken[place];
      groups.set(pretoken, (groups.get(pretoken) ?? "") + forest.svg[place]);
    }
    const hasTrees = forest.svg.some(Boolean);
    this.forest.root.hidden = !hasTrees;
    const wanted = hasTrees ? [...groups.values()] : [], drawn = wanted.join("\n");
    if (drawn === this.drawnForest && drawn) return;
    this.drawnForest = drawn;
    this.forest.fitType();
    this.forest.show(wanted, forest.svg.length ? "This algorithm builds no merge trees." : undefined);
  }
}

/** @typedef {Data["candidates"][number]} Candidate @typedef {Data["changes"][number]} Change */

/**
 * The candidates after merge k, or those of the last earlier merge that has a record, and the merge after which
 * they were counted.
 * @param {Pick<Run, "candidates" | "earlier_candidates" | "n">} data @param {number} k
 * @returns {{k: number, candidates: Candidate[]}}
 */
export function candidatesAt({ candidates, earlier_candidates, n }, k) {
  const record = k >= n ? undefined : earlier_candidates.findLast(([at]) => at <= k);
  return record ? { k: record[0], candidates: record[1] } : { k, candidates: k >= n ? candidates : [] };
}

/**
 * The first change after merge k as `{left, right}`, or as the label of a token that is added or removed.
 * @param {Pick<Run, "candidates" | "changes" | "n" | "is_over" | "labels">} run @param {number} k
 * @returns {{left: number, right: number, label: string} | undefined}
 */
function winnerAt({ candidates, changes, n, is_over, labels }, k) {
  if (k >= n) return is_over || !candidates.length ? undefined : { left: candidates[0][0], right: candidates[0][1], label: candidates[0][4] };
  const change = changes.find(([step]) => step === k + 1);
  if (!change) return undefined;
  const [, kind, id, parts] = change;
  return kind === "added" && parts.length === 2 ? { left: parts[0], right: parts[1], label: "" } : { left: -1, right: -1, label: labels[id] };
}

/** @param {Candidate} candidate @param {ReturnType<typeof winnerAt>} winner */
const isWinner = ([left, right, , , label], winner) => winner?.left === left && winner.right === right && winner.label === label;

/**
 * The title of the list of candidates.
 * @param {Pick<Run, "is_over" | "n" | "score_name"> & {curve: Pick<Run["curve"], "step" | "size" | "vocabulary">}} run
 * @param {number} k @param {number} countedAt @param {boolean} isOfPairs
 */
export function pairsTitle({ is_over, n, score_name, curve }, k, countedAt, isOfPairs = true) {
  const isCount = score_name === "count", by = !isCount ? `: ${score_name} · count` : isOfPairs ? " (get_stats)" : "";
  const what = isOfPairs ? "pairs" : `tokens ${isFalling({ curve }) ? "removed" : "added"} next`;
  if (countedAt < k) return `${what} as counted after ${curve.step} ${count(countedAt)}`;
  return k >= n && is_over ? `${isOfPairs ? "pairs" : "tokens"} left${by}` : `${what} after ${curve.step} ${count(k)}${by}`;
}

/**
 * Say whether a guessed pair, its ids with a space between them, is the next merge.
 * @param {string} guessed @param {{left: number, right: number}} winner @param {Candidate[]} pairs @param {Data["labels"]} labels
 */
function guessAnswer(guessed, winner, pairs, labels) {
  const name = `${labels[winner.left]} + ${labels[winner.right]}`;
  if (guessed === `${winner.left} ${winner.right}`) return `Yes: ${name} is merged next.`;
  const n = pairs.find(([left, right]) => guessed === `${left} ${right}`)?.[2] ?? 0;
  return `No: ${name} is merged next. Your pair occurs ${times(n)}.`;
}

/** @param {string} text @param {number} nTokens */
const inTokens = (text, nTokens) => `${counted(nTokens, "token")} here, ${bytesPerToken(text, nTokens)} bytes per token`;

/** @param {string} text @param {number} nTokens */
const bytesPerToken = (text, nTokens) => (nTokens ? (utf8Length(text) / nTokens).toFixed(2) : "0");

/** Whether a run merges pairs, by its first candidates; true without any. @param {Pick<Run, "candidates" | "earlier_candidates">} run */
const isMerging = ({ candidates, earlier_candidates }) => ((earlier_candidates[0]?.[1] ?? candidates)[0]?.[0] ?? 0) >= 0;

/** Whether a run begins with many tokens and removes them. @param {{curve: Pick<Run["curve"], "size" | "vocabulary">}} run */
const isFalling = ({ curve }) => curve.size < curve.vocabulary[0];

/**
 * The spans of a text's tokens; each says its place in the text and its ids.
 * @param {Shown[]} segments
 */
function tokensOf(segments) {
  let at = 0;
  return segments.map(({ text: shown, color, ids, isNew, isPair }) => {
    const isLost = ids[0] === LOST_TEXT, kinds = [isNew && !isLost && "new", isPair && "pair", isLost && "kept"].filter((kind) => kind !== false);
    const token = makeToken(shown, { color, nTokens: ids.length, marks: true, kinds });
    token.dataset.at = String(at);
    at += shown.length;
    token.title = isLost ? "no token" : ids[0] < 0 ? "unknown" : `${ids.length > 1 ? "ids" : "id"} ${ids.join(", ")}`;
    return token;
  });
}

/** Make the elements in which one of several runs is drawn. @param {number} nth */
function makePane(nth) {
  const part = element("div"), head = element("h2"), title = element("b"), counts = element("span"), line = element("p", "step-line"), text = element("div", "tokens"), by = element("p", "step-line soft"), pairs = element("div", "pairs");
  part.style.setProperty("--line-color", nth ? `var(--beside-${nth})` : "var(--curve)");
  text.dir = "auto";
  text.tabIndex = 0;
  text.setAttribute("role", "region");
  pairs.setAttribute("role", "list");
  head.append(title, counts);
  part.append(head, line, text, by, pairs);
  return { part, head, title, counts, line, text, by, pairs };
}

/**
 * Draw candidates as bars of their scores and return their rows. Rows that stay move to their new places.
 * @param {HTMLElement} home @param {Run} run @param {Candidate[]} candidates in their order on the screen
 * @param {ReturnType<typeof winnerAt>} winner @param {string} prefix of the rows' ids @param {boolean} isHidden whether counts are hidden
 */
function layBars(home, { labels, score_name, earlier_candidates, is_over }, candidates, winner, prefix, isHidden = false) {
  const isCount = score_name === "count", isList = home.getAttribute("role") === "list";
  // Scores are measured against the first ones, so that bars get shorter while the run goes on.
  const most = Math.max(...(earlier_candidates[0]?.[1] ?? []).map(([, , , score]) => score), ...candidates.map(([, , , score]) => score), Number.MIN_VALUE);
  /** @type {Map<string | undefined, HTMLElement>} */
  const before = new Map([...home.children].map((row) => [row.id, /** @type {HTMLElement} */ (row)]));
  const rows = candidates.map((candidate, place) => {
    const [left, right, n, score, label] = candidate, id = `pair-row-${prefix}${left}-${right}-${label}`;
    const row = before.get(id) ?? makeBar(id, label ? [label] : [labels[left], labels[right]]);
    row.setAttribute("role", isList ? "listitem" : "option");
    row.classList.toggle("next", isWinner(candidate, winner));
    row.style.setProperty("--place", String(place));
    row.style.setProperty("--share", String(Math.max(0, score / most)));
    /** @type {HTMLElement} */ (row.lastElementChild).textContent = isHidden ? "" : isCount ? count(n) : `${score.toPrecision(3)} · ${count(n)}`;
    return row;
  });
  const kept = new Set(rows);
  for (const row of /** @type {HTMLElement[]} */ (Array.from(home.children))) if (!kept.has(row)) row.remove();
  if (!rows.length) {
    const none = element("div", "none", is_over ? "The run has ended." : "Nothing is left to change.");
    none.setAttribute("role", isList ? "listitem" : "option");
    if (!isList) none.setAttribute("aria-disabled", "true");
    home.append(none);
  }
  home.append(...rows.filter((row) => row.parentNode !== home));
  home.classList.toggle("has-scores", !isCount);
  return rows;
}

/** @param {string} id @param {string[]} parts */
function makeBar(id, parts) {
  const row = element("div", "row"), what = element("span", "what"), track = element("span", "track");
  row.id = id;
  what.append(...joined(parts));
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

/**
 * Describe the current step, and what comes next.
 * @param {Run} run @param {number} k
 */
function mergeLine(run, k) {
  const parts = stepLine(run, k), after = winnerAt(run, k), { labels } = run;
  if (after) parts.push(parts.length ? "; next " : "Next: ", ...(after.label ? [code(after.label)] : [code(labels[after.left]), " + ", code(labels[after.right])]));
  return parts;
}

/**
 * Describe a step: what it joined, added or removed, how often that occurred, and the tokens after it.
 * @param {Run} run @param {number} k
 * @returns {(string | Node)[]}
 */
function stepLine({ changes, labels }, k) {
  const at = changes.filter(([step]) => step === k);
  if (!at.length) return [];
  const [, kind, id, joins, n, , nTokens, nVocab] = at[0], left = `${counted(nTokens, "token")} left`;
  if (kind === "added" && joins.length === 2) return [code(labels[joins[0]]), " + ", code(labels[joins[1]]), " → ", code(labels[id]), `, ${times(n)}, ${left}`];
  return [`${kind} `, ...at.slice(0, 3).flatMap(([, , token], i) => [i ? ", " : "", code(labels[token])]), at.length > 3 ? " …" : "", `, ${count(nVocab)} in the vocabulary, ${left}`];
}

/** @param {string} text */
const code = (text) => element("code", "", text);
