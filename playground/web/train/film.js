// The film of the shown runs: a text, the curve, candidates, merges and trees after k steps. The browser has all
// steps, so changing k needs no request. Choosing a step in one part changes all.

import { dataOf, element, find, joined, showIcon } from "../shared/element.js";
import { TreeView } from "../shared/tree_view.js";
import { makeSegments } from "../shared/segments.js";
import { colorBetween, layTokens, makeToken } from "../shared/token_strip.js";
import { utf8Length } from "../shared/unicode.js";
import { count, counted, times } from "../shared/wording.js";
import { Curve, shrinks } from "./curve.js";
import { MergeList } from "./merge_list.js";
import { longestOf, newestOf, positionOf, stepAfter, stepAt, TextFilm, visibleTokens } from "./playing.js";
import { curveOf } from "./run_log.js";
import { growTrees } from "./trees.js";

/** @typedef {import("./playing.js").Tokens} Tokens */
/** @typedef {import("./run_log.js").RunLog} RunLog */
/** @typedef {import("./run_log.js").Candidate} Candidate */
/** @typedef {import("../shared/wire_types.d.ts").TrainCuts} Cuts */
/** @typedef {import("../shared/wire_types.d.ts").TrainTrees} Trees */
/** @typedef {{text: string, color: number, ids: number[], isNew: boolean, isPair: boolean}} Shown a segment of a frame */

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

/** One of the shown runs: what was learned, its curve, and the shown text as it cuts it. */
export class ShownRun {
  /** @param {RunLog} log */
  constructor(log) {
    this.log = log;
    this.curve = curveOf(log);
    /** @type {TextFilm | null} */
    this.film = null;
  }

  get n() {
    return this.log.n;
  }

  get last() {
    return this.log.view.last;
  }

  /** Whether its steps merge pairs, by its first candidates; true without any. */
  get isMerging() {
    return (this.log.candidates.find(([, rows]) => rows.length)?.[1][0][0] ?? 0) >= 0;
  }

  /** Whether it begins with many tokens and removes them. */
  get isFalling() {
    return shrinks(this.curve);
  }

  /** Follow the log. */
  follow() {
    this.curve = curveOf(this.log);
    this.film?.follow(this.log);
  }
}

/** @typedef {Pick<RunLog["view"], "name" | "corpus" | "pattern" | "size" | "n_bytes" | "n_held_out_bytes">} Measured */

/** Say what the curve measures, and what differs between runs. @param {Measured[]} views */
export function measures(views) {
  const [{ n_bytes, n_held_out_bytes }] = views, text = n_held_out_bytes ? "held-out text" : "training text";
  return `The curve measures all ${counted(n_held_out_bytes || n_bytes, "byte")} of ${text}; the numbers below the passage are its own. ${differences(views)}`.trim();
}

/** What differs between runs, and so makes their lines differ; "" for one run. @param {Measured[]} views */
function differences(views) {
  /** @type {[string, string[]][]} */
  const facts = [
    ["algorithm", views.map(({ name }) => name)],
    ["corpus", views.map(({ corpus }) => corpus)],
    ["split pattern", views.map(({ pattern }) => pattern)],
    ["vocabulary size", views.map(({ size }) => count(size))],
  ];
  const differ = facts.filter(([, values]) => new Set(values).size > 1).map(([what, values]) => `${what} (${values.toReversed().join(", ")})`);
  if (views.length < 2) return "";
  const own = new Set(views.map(({ corpus }) => corpus)).size > 1 ? " Each line is measured on its own corpus." : "";
  return `${differ.length ? `These runs differ in ${differ.join("; ")}.` : "These runs have the same corpus, algorithm, split pattern and size."}${own}`;
}

/** The name of the runs' steps: that of their algorithm, or "step" for different algorithms. @param {{step: string}[]} views */
export function stepName(views) {
  const [first, ...others] = new Set(views.map(({ step }) => step));
  return first === undefined || others.length ? "step" : first;
}

export class Film {
  /** `onWord(word)` is called when a word is typed. @param {HTMLElement} root @param {AbortSignal} signal @param {(word: string) => void} onWord */
  constructor(root, signal, onWord) {
    this.root = root;
    this.k = 0;
    /** @type {ShownRun[]} the newest one first; `k` and the slider count the steps of the longest */
    this.runs = [];
    this.text = "";
    /** @type {Trees | null} */
    this.trees = null;
    this.isPlaying = false;
    /** @type {import("./playing.js").Speed} */
    this.speed = "slow, then faster";
    /** @type {number | null} */
    this.pauseAt = null;
    this.slider = find(root, ".k", HTMLInputElement);
    this.word = find(root, ".word", HTMLInputElement);
    this.playButton = find(root, ".play", HTMLButtonElement);
    this.pane = find(root, ".alone .tokens");
    this.treeView = new TreeView(find(root, ".trees"), find(root, ".about"), signal);
    const onMerge = (/** @type {number} */ k) => this.runs.length && this.stopAt(positionOf(this.runs[0], k, this.runs));
    this.curve = new Curve(find(root, ".curve"), signal, onMerge);
    this.list = new MergeList(find(root, ".merges"), signal, onMerge);
    this.pairs = find(root, ".race .pairs");
    this.guessButton = find(root, ".guess", HTMLButtonElement);
    this.isGuessing = false;
    /** @type {ReturnType<typeof makePane>[]} */
    this.panes = [];
    /** @type {{k: number, pair: string} | null} the pair that was guessed after step k */
    this.guess = null;
    this.guessButton.addEventListener("click", () => this.toggleGuess(), { signal });
    find(root, ".first").addEventListener("click", (event) => {
      const at = dataOf(event, "at"), word = at ? wordAt(this.text, Number(at)) : "";
      if (word) onWord(word);
    }, { signal });
    /** @type {[number, number] | null} the pair that is marked in the text */
    this.mark = null;
    this.pairs.addEventListener("click", (event) => this.choosePair(event.target), { signal });
    this.pairs.addEventListener("keydown", (event) => this.walkPairs(event), { signal });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.go(Number(this.slider.value)); // without scrolling the text, which would take time for each place
    }, { signal });
    this.playButton.addEventListener("click", () => this.togglePlay(), { signal });
    find(root, ".reset").addEventListener("click", () => this.stopAt(0), { signal });
    root.addEventListener("click", (event) => {
      const by = Number(dataOf(event, "step") ?? 0);
      if (by) this.stopAt(this.k + by);
    }, { signal });
    this.word.addEventListener("input", () => onWord(this.word.value), { signal });
    this.stop();
  }

  get newest() {
    return newestOf(this.runs);
  }

  /** The step of the newest run that is shown. */
  get own() {
    return this.runs.length ? stepAt(this.runs[0], this.k, this.runs) : 0;
  }

  /** The shown runs without the newest. */
  get beside() {
    return this.runs.slice(1);
  }

  // ---- what is shown

  /** Show other runs from their first step on. @param {RunLog[]} logs @param {boolean} isPaused */
  begin(logs, isPaused) {
    this.runs = logs.map((log) => new ShownRun(log));
    this.k = 0;
    this.mark = this.guess = this.trees = null;
    this.treeView.show([], "");
    if (isPaused) this.stop();
    else this.play();
  }

  /** Follow the logs, which have grown. @param {import("./curve.js").UnitName} unit */
  follow(unit) {
    for (const run of this.runs) run.follow();
    this.slider.max = String(longestOf(this.runs));
    this.drawCurve(unit);
    this.go(this.k);
  }

  /** Show a text. @param {Cuts} cuts */
  showText({ text, runs }) {
    this.text = text;
    for (const run of this.runs) {
      const cut = runs.find((each) => each.run === run.log.view.number);
      run.film = cut ? new TextFilm(cut) : null;
      run.follow();
    }
    this.go(this.k);
    this.reveal(".new");
  }

  /** Show a word's trees. @param {Trees} trees */
  showTrees(trees) {
    this.trees = trees;
    if (!this.word.matches(":focus")) this.word.value = trees.word;
    this.treeView.fitType();
    const hasTrees = trees.trees.length > 0;
    this.treeView.root.hidden = !hasTrees;
    this.treeView.show(trees.trees, this.runs[0]?.log.view.is_over ? "This algorithm builds no merge trees." : "");
    const [run] = this.runs;
    if (!run) return;
    const film = trees.cut && new TextFilm(trees.cut);
    film?.follow(run.log);
    const made = film && hasTrees ? film.tokens.made.filter((k) => k > 0) : [], steps = [...new Set(made)];
    this.grow = film && hasTrees ? growTrees(this.treeView.root, trees.leaves, film.tokens) : () => {};
    this.curve.markWord(steps);
    find(this.root, ".marks-line").textContent = steps.length ? `○ ${counted(steps.length, run.log.view.step)} in “${trees.word.trim()}”` : "";
    this.grow(this.own);
  }

  /** @param {import("./curve.js").UnitName} unit */
  drawCurve(unit) {
    for (const button of this.root.querySelectorAll("[data-unit]")) button.setAttribute("aria-pressed", String(button.getAttribute("data-unit") === unit));
    if (!this.runs.length) return;
    this.curve.show(this.runs[0].curve, unit, this.beside);
    find(this.root, ".differences").textContent = measures(this.runs.map(({ log }) => log.view));
  }

  /** Scroll the text to the first match of `selector`, unless one is in view already. @param {string} selector */
  reveal(selector) {
    const home = this.pane.getBoundingClientRect();
    const spans = [...this.pane.querySelectorAll(selector)].map((span) => span.getBoundingClientRect());
    if (!spans.length || spans.some((span) => span.top >= home.top && span.bottom <= home.bottom)) return;
    this.pane.scrollTop += spans[0].top - home.top - home.height / 3;
  }

  // ---- moving through the steps

  /** Stop playing, show the text after k steps, and scroll to what is new. @param {number} k */
  stopAt(k) {
    this.stop();
    this.go(k);
    this.reveal(".new");
  }

  /** @param {number} k */
  go(k) {
    const { runs } = this, [run] = runs;
    if (!run) return;
    this.k = Math.max(0, Math.min(this.newest, k));
    this.slider.value = String(this.k);
    const longest = longestOf(runs), steps = runs.map((each) => stepAt(each, this.k, runs));
    find(this.root, ".where").textContent = this.beside.length ? `${Math.floor((100 * this.k) / longest)} % of each run` : `${count(this.k)} of ${count(longest)}`;
    this.root.dataset.k = String(this.k);
    this.drawText(run);
    this.drawTogether();
    this.grow(this.own);
    this.list.show(run.log, this.own, this.isGuessing ? (run.log.firstOf[this.own] ?? run.log.changes.length) : run.log.changes.length);
    this.drawPairs(run);
    find(this.root, ".merge-line").replaceChildren(...mergeLine(run, this.own, this.isHiding));
    this.curve.mark(steps);
  }

  /** Play from the current step, or from the start if all are shown. */
  play() {
    if (this.k >= this.newest && this.runs.every(({ log }) => log.view.is_over)) this.go(0);
    this.isPlaying = true;
    showIcon(this.playButton, "pause", "Pause");
    this.setPace(this.speed, this.pauseAt);
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), FRAME_MS);
  }

  /** Play at this speed from now on, up to a step; the time counts from here. @param {import("./playing.js").Speed} speed @param {number | null} pauseAt */
  setPace(speed, pauseAt) {
    Object.assign(this, { speed, pauseAt });
    this.from = { k: this.k, time: performance.now() };
  }

  tick() {
    const from = this.from ?? { k: this.k, time: performance.now() }, { newest, pauseAt } = this;
    const isPause = pauseAt !== null && this.k < pauseAt;
    const wanted = Math.min(stepAfter(this.speed, from.k, (performance.now() - from.time) / 1000), isPause ? pauseAt : Infinity);
    const k = Math.min(wanted, newest), isOver = this.runs.every(({ log }) => log.view.is_over);
    if (k !== this.k) this.go(k);
    if ((isPause && k === pauseAt) || (k >= newest && isOver)) this.stop();
    else if (wanted > newest) this.setPace(this.speed, pauseAt); // wait for steps that are still being learned
  }

  togglePlay() {
    if (this.isPlaying) this.stop();
    else if (this.runs.length) this.play();
  }

  stop() {
    clearInterval(this.timer);
    this.isPlaying = false;
    showIcon(this.playButton, "play", "Play");
  }

  // ---- drawing

  /** Show the trees of the word after a step. @param {number} _k */
  grow = (_k) => {};

  /** @param {ShownRun} run */
  drawText({ film }) {
    if (this.beside.length) return;
    const { mark } = this;
    if (!film) {
      this.pane.textContent = this.text;
      find(this.root, ".counts").textContent = "The text is cut when the run has ended.";
      return;
    }
    const { segments, nTokens, nPairs } = textFrame(this.text, film.tokens, this.own, mark);
    this.pane.replaceChildren(layTokens(tokensOf(segments)));
    const what = mark ? `; the chosen pair ${nPairs ? `occurs here ${times(nPairs)}` : "does not occur in this text"}` : "";
    find(this.root, ".counts").textContent = `${inTokens(this.text, nTokens)}${what}.`;
  }

  /** Draw runs side by side, each after the same share of its steps: the step, the text, and the likeliest next changes. */
  drawTogether() {
    const { runs } = this, shown = this.beside.length ? runs : [];
    if (this.panes.length !== shown.length) {
      this.panes = shown.map((_run, i) => makePane(i));
      const [newest, ...earlier] = this.panes.map(({ part }) => part);
      find(this.root, ".together").replaceChildren(...earlier, ...(newest ? [newest] : []));
    }
    shown.forEach((run, i) => {
      const { head, title, counts, line, text, by, pairs } = this.panes[i], { view } = run.log, k = stepAt(run, this.k, runs);
      const { segments, nTokens } = run.film ? textFrame(this.text, run.film.tokens, k, null) : { segments: [], nTokens: 0 };
      head.title = view.title;
      title.textContent = runs.some((other) => other !== run && other.log.view.name === view.name) ? view.title : view.name;
      line.replaceChildren(...(k ? [`${view.step} ${count(k)}: `] : []), ...stepLine(run.log, k));
      const top = text.scrollTop, { at, rows } = run.log.candidatesAt(k);
      text.setAttribute("aria-label", `Text as tokens of ${view.title}`);
      text.replaceChildren(layTokens(tokensOf(segments)));
      text.scrollTop = top;
      counts.textContent = `${counted(nTokens, "token")}, ${bytesPerToken(this.text, nTokens)} bytes each`;
      by.textContent = `${run.isFalling ? "removed " : ""}next by ${view.score_name === "count" ? "count" : `${view.score_name} · count`}`;
      by.title = pairsTitle(run, k, at);
      layBars(pairs, run.log, rows.slice(0, 4), winnerAt(run.log, k), `${i}-`);
    });
  }

  /** Whether the next merge is hidden until somebody has guessed. */
  get isHiding() {
    return this.isGuessing && this.guess?.k !== this.own && this.k < this.newest;
  }

  /** Draw the candidates at the current step as bars of their scores. @param {ShownRun} run */
  drawPairs(run) {
    const { log } = run, { at, rows } = log.candidatesAt(this.own), { labels } = log, winner = winnerAt(log, this.own), isHidden = this.isHiding && run.isMerging;
    const name = (/** @type {Candidate} */ row) => labels[row[0]] + labels[row[1]];
    const order = isHidden ? rows.toSorted((a, b) => (name(a) < name(b) ? -1 : 1)) : rows;
    find(this.root, ".pairs-title").textContent = isHidden ? "Which pair is merged next?" : pairsTitle(run, this.own, at);
    const made = layBars(this.pairs, log, order, isHidden ? undefined : winner, "", isHidden);
    order.forEach((candidate, place) => {
      made[place].dataset.pair = String(rows.indexOf(candidate));
      made[place].setAttribute("aria-selected", String(this.isMarked([candidate[0], candidate[1]])));
    });
    this.pairs.classList.toggle("hidden-counts", isHidden);
    this.guessButton.hidden = !run.isMerging;
    const guessed = this.guess?.k === this.own ? this.guess.pair : null;
    find(this.root, ".guess-answer").textContent = guessed !== null && winner ? guessAnswer(guessed, winner, rows, labels) : "";
  }

  toggleGuess() {
    this.isGuessing = !this.isGuessing;
    this.guess = null;
    this.guessButton.setAttribute("aria-pressed", String(this.isGuessing));
    this.stopAt(this.k);
  }

  /** Highlight a chosen pair in the text, or remove the highlight. @param {EventTarget | null} target */
  choosePair(target) {
    const [run] = this.runs, row = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".row")) : null;
    if (!run || !row) return;
    const [left, right] = run.log.candidatesAt(this.own).rows[Number(row.dataset.pair)];
    if (left < 0) return;
    if (this.isHiding) this.guess = { k: this.own, pair: `${left} ${right}` };
    this.markPair(run, Number(row.dataset.pair));
  }

  /** @param {KeyboardEvent} event */
  walkPairs(event) {
    const [run] = this.runs, by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!run || !by) return;
    event.preventDefault();
    event.stopPropagation();
    const pairs = run.log.candidatesAt(this.own).rows.filter(([left]) => left >= 0), at = pairs.findIndex(([left, right]) => this.isMarked([left, right]));
    const next = Math.max(0, Math.min(pairs.length - 1, at + by));
    if (pairs.length && next !== at) this.markPair(run, next);
  }

  /** Highlight a listed pair in the text, or remove the highlight. @param {ShownRun} run @param {number} place */
  markPair({ log }, place) {
    const [left, right] = log.candidatesAt(this.own).rows[place];
    this.mark = this.isMarked([left, right]) ? null : [left, right];
    this.stopAt(this.k);
    this.reveal(".pair");
  }

  /** @param {number[]} pair */
  isMarked([left, right]) {
    return this.mark?.[0] === left && this.mark[1] === right;
  }
}

/**
 * The first change after step k as `{left, right}`, or as the label of a token that is added or removed.
 * @param {RunLog} log @param {number} k
 * @returns {{left: number, right: number, label: string} | undefined}
 */
function winnerAt(log, k) {
  const [change] = log.changesOf(k + 1);
  if (!change) return undefined;
  const { isRemoval, id, parts } = change;
  return !isRemoval && parts.length === 2 ? { left: parts[0], right: parts[1], label: "" } : { left: -1, right: -1, label: log.labels[id] };
}

/** @param {Candidate} candidate @param {ReturnType<typeof winnerAt>} winner */
const isWinner = ([left, right, , , label], winner) => winner?.left === left && winner.right === right && winner.label === label;

/**
 * The title of the list of candidates, which were counted after step `at`.
 * @param {Pick<ShownRun, "n" | "isMerging" | "isFalling"> & {log: {view: {score_name: string, step: string, is_over: boolean}}}} run
 * @param {number} k @param {number} at
 */
export function pairsTitle({ n, isMerging, isFalling, log: { view } }, k, at) {
  const isCount = view.score_name === "count", by = !isCount ? `: ${view.score_name} · count` : isMerging ? " (get_stats)" : "";
  const what = isMerging ? "pairs" : `tokens ${isFalling ? "removed" : "added"} next`;
  if (at < k) return `${what} as counted after ${view.step} ${count(at)}`;
  return k >= n && view.is_over ? `${isMerging ? "pairs" : "tokens"} left${by}` : `${what} after ${view.step} ${count(k)}${by}`;
}

/**
 * Say whether a guessed pair, its ids with a space between them, is the next merge.
 * @param {string} guessed @param {{left: number, right: number}} winner @param {Candidate[]} pairs @param {Record<number, string>} labels
 */
function guessAnswer(guessed, winner, pairs, labels) {
  const name = `${labels[winner.left]} + ${labels[winner.right]}`;
  if (guessed === `${winner.left} ${winner.right}`) return `Yes: ${name} is merged next.`;
  const n = pairs.find(([left, right]) => guessed === `${left} ${right}`)?.[2] ?? 0;
  return `No: ${name} is merged next. Your pair occurs ${times(n)}.`;
}

/** @param {string} text @param {number} nTokens */
const inTokens = (text, nTokens) => `${counted(nTokens, "token")} in this passage, ${bytesPerToken(text, nTokens)} bytes per token`;

/** @param {string} text @param {number} nTokens */
const bytesPerToken = (text, nTokens) => (nTokens ? (utf8Length(text) / nTokens).toFixed(2) : "0");

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
 * @param {HTMLElement} home @param {RunLog} log @param {Candidate[]} candidates in their order on the screen
 * @param {ReturnType<typeof winnerAt>} winner @param {string} prefix of the rows' ids @param {boolean} isHidden whether counts are hidden
 */
function layBars(home, { labels, view, candidates: records }, candidates, winner, prefix, isHidden = false) {
  const isCount = view.score_name === "count", isList = home.getAttribute("role") === "list";
  // Scores are measured against the first ones, so that bars get shorter while the run goes on.
  const most = Math.max(...(records[0]?.[1] ?? []).map(([, , , score]) => score), ...candidates.map(([, , , score]) => score), Number.MIN_VALUE);
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
    const none = element("div", "none", view.is_over ? "The run has ended." : "Nothing is left to change.");
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

/**
 * Describe the step that is shown, and what comes next unless that is hidden.
 * @param {ShownRun} run @param {number} k @param {boolean} isHiding
 */
function mergeLine({ log }, k, isHiding) {
  const parts = stepLine(log, k), after = isHiding ? undefined : winnerAt(log, k), { labels } = log;
  if (after) parts.push(parts.length ? "; next " : "Next: ", ...(after.label ? [code(after.label)] : [code(labels[after.left]), " + ", code(labels[after.right])]));
  return parts;
}

/**
 * Describe a step: what it joined, added or removed, how often that occurred, and the tokens after it.
 * @param {RunLog} log @param {number} k
 * @returns {(string | Node)[]}
 */
function stepLine(log, k) {
  const changes = log.changesOf(k), { labels } = log;
  if (!changes.length) return [];
  const [{ isRemoval, id, parts, count: n }] = changes, left = `${counted(log.tokens[k], "token")} left`;
  if (!isRemoval && parts.length === 2) return [code(labels[parts[0]]), " + ", code(labels[parts[1]]), " → ", code(labels[id]), `, ${times(n)}, ${left}`];
  const names = changes.slice(0, 3).flatMap((change, i) => [i ? ", " : "", code(labels[change.id])]);
  return [isRemoval ? "removed " : "added ", ...names, changes.length > 3 ? " …" : "", `, ${count(log.vocabulary[k])} in the vocabulary, ${left}`];
}

/** @param {string} text */
const code = (text) => element("code", "", text);
