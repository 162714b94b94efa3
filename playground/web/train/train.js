// Train: one component for the runs on the screen. The server learns and is asked for the steps that are new; what is
// done with them, from playing to guessing, stays here.

import { chartToSvg } from "../save/save_chart.js";
import { dataOf, element, find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { pictureKind, savePage, savePicture } from "../shared/save.js";
import { TabMemory, tabStore } from "../shared/tab_memory.js";
import { postForColumns, postJson, Requests, sentenceOf } from "../shared/wire.js";
import { UNITS } from "./curve.js";
import { Film } from "./film.js";
import { N_COLUMNS, RunLog } from "./run_log.js";
import { listenForKeys, listenForPace, nameSteps } from "./stage.js";

const POLL_MS = 200;
const OWN_TEXT = "The dog. The dog! A dog? Dogs in 2026 don't dig.";

/** Data from Python; see `ui/train/view.py`. @typedef {import("../shared/wire_types.d.ts").TrainData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").TrainEvent} Said */
/** @typedef {import("../shared/wire_types.d.ts").TrainView} View */
/** @typedef {import("../shared/wire_types.d.ts").TrainCuts} Cuts */
/**
 * Choices of this tab: the film's text and word (null: the longest word of the text), the unit of the curve, and the
 * pace.
 * @typedef {{sample: import("../shared/wire_types.d.ts").TrainRequests["cuts"]["sample"], own_text: string, word: string | null, unit: import("./curve.js").UnitName} & import("./stage.js").Pace} Choice
 */

export default component(".train", (root, signal) => new Train(root, signal));

class Train {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.signal = signal;
    /** @type {Data | null} */
    this.data = null;
    /** @type {View | null} */
    this.view = null;
    /** @type {Map<number, RunLog>} what the browser has of each run, by its number */
    this.logs = new Map();
    /** @type {Cuts | null} */
    this.cuts = null;
    this.cutFor = this.treesFor = this.settledFor = "";
    /** @type {TabMemory<Choice>} */
    this.memory = new TabMemory(tabStore, "tessera.train");
    /** @type {Choice} */
    this.choice = { sample: "held_out", own_text: OWN_TEXT, word: null, unit: "times", speed: "slow, then faster", pauseAt: null, ...this.memory.read() };
    this.tell = (/** @type {Said} */ _name) => {};
    this.film = new Film(find(root, ".film"), signal, (word) => this.choose({ word }));
    /** @type {Requests<Data>} */
    this.requests = new Requests({
      ask: (data) => this.look(data),
      askForSession: () => this.tell("lost"),
      onProblem: (sentence) => this.sayProblem(sentence),
    });
    this.ownText = find(root, ".own-text", HTMLTextAreaElement);
    listenForPace(root, signal, this.film, this.choice, (pace) => this.choose(pace));
    listenForKeys(root, signal, this.film);
    find(root, ".stop").addEventListener("click", () => this.stop(), { signal });
    find(root, ".save-page").addEventListener("click", () => this.savePage(), { signal });
    this.ownText.addEventListener("input", () => this.choose({ own_text: this.ownText.value }), { signal });
    root.addEventListener("click", (event) => this.click(event), { signal });
  }

  destroy() {
    clearTimeout(this.timer);
    this.requests.end();
    this.film.stop();
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const old = this.data;
    this.data = data;
    this.tell = (/** @type {Said} */ name) => setTriggerValue(name, Date.now());
    if (old?.url !== data.url) {
      this.logs.clear();
      this.cutFor = this.treesFor = this.settledFor = ""; // another session numbers its runs from 1 again
    }
    if (data.chosen && data.chosen[1] !== (old?.chosen?.[1] ?? 0) && old) this.film.stopAt(data.chosen[0]);
    void this.requests.push(data);
  }

  // ---- requests

  /** Fetch what is new of the runs, and then what is missing of the text and the word. @param {Data} data */
  async look(data) {
    clearTimeout(this.timer);
    const runs = [...this.logs.keys()], n_chunks = [...this.logs.values()].map(({ nChunks }) => nChunks);
    const { header, columns } = await postForColumns(data.url, "look", { runs, n_chunks });
    this.follow(header, columns);
    await this.cut(data, header);
    if (header.is_changing && !this.signal.aborted) this.timer = setTimeout(() => this.lookAgain(), POLL_MS);
  }

  lookAgain() {
    if (this.data) void this.requests.push(this.data);
  }

  /** Fetch the text's cuts and the word's trees, if those that are shown belong to something else. @param {Data} data @param {View} view */
  async cut({ url }, { runs }) {
    if (!runs.length) return;
    const { sample, own_text, word } = this.choice, own = sample === "own" ? own_text : "";
    const cutFor = JSON.stringify([sample, own, runs.map(({ number, is_over }) => [number, is_over])]);
    if (cutFor !== this.cutFor) {
      this.cuts = /** @type {Cuts} */ (await postJson(url, "cuts", { sample, own_text: own }));
      this.cutFor = cutFor;
      this.film.showText(this.cuts);
      if (this.view) this.drawChoice(this.view);
    }
    const wanted = word ?? this.cuts?.word ?? "", treesFor = JSON.stringify([wanted, runs[0].number, runs[0].is_over]);
    if (treesFor === this.treesFor) return;
    this.film.showTrees(await postJson(url, "trees", { word: wanted }));
    this.treesFor = treesFor;
  }

  /** End learning; what has been learned is kept. */
  async stop() {
    if (!this.data) return;
    try {
      await postJson(this.data.url, "stop", {});
    } catch (error) {
      this.requests.reconnect.seeks(error);
      this.sayProblem(sentenceOf(error));
    }
    this.lookAgain();
  }

  /** Say what is wrong, unless the server is away: then it is asked again. @param {string} sentence "" where all is well */
  sayProblem(sentence) {
    if (sentence && !this.requests.reconnect.isLost) find(this.root, ".progress-line").textContent = sentence;
  }

  async savePage() {
    const { sample, own_text, word, unit } = this.choice, shown = { sample, own_text, word, unit, step: this.film.k };
    await savePage(this.data?.url ?? "", shown).catch((error) => (find(this.root, ".progress-line").textContent = error.message));
  }

  // ---- choices

  /** @param {Event} event */
  click(event) {
    const sample = dataOf(event, "sample"), unit = dataOf(event, "unit"), picture = pictureKind(dataOf(event, "picture"));
    if (sample === "held_out" || sample === "training" || sample === "own") this.choose({ sample });
    if (unit && unit in UNITS) this.choose({ unit: /** @type {Choice["unit"]} */ (unit) });
    if (picture) savePicture(chartToSvg(this.film.curve.document()), picture, "training");
  }

  /** @param {Partial<Choice>} change */
  choose(change) {
    Object.assign(this.choice, change);
    this.memory.write(this.choice);
    if (this.view) this.drawChoice(this.view);
    if (change.unit) this.film.drawCurve(change.unit);
    if (change.sample || change.own_text !== undefined || change.word !== undefined) this.lookAgain();
  }

  // ---- drawing

  /** Add what is new to the logs, and draw the runs. @param {View} view @param {Uint32Array[]} columns */
  follow(view, columns) {
    if (view.status === "preparing" && this.logs.size) {
      this.drawProgress(view); // the runs of before stay until the new one begins
      this.root.toggleAttribute("data-waiting", true);
      return;
    }
    this.root.toggleAttribute("data-waiting", false);
    const isNew = view.runs.map(({ number }) => number).join() !== this.view?.runs.map(({ number }) => number).join() || view.runs.some(({ number }) => !this.logs.has(number));
    let first = 0;
    const logs = view.runs.map((run) => {
      const log = this.logs.get(run.number) ?? new RunLog(run), last = first + run.chunks.length * N_COLUMNS;
      log.follow(run, columns.slice(first, last));
      first = last;
      return log;
    });
    this.logs = new Map(logs.map((log) => [log.view.number, log]));
    this.view = view;
    this.draw(view);
    if (isNew && logs.length) this.film.begin(logs, view.starts_paused);
    this.film.follow(this.choice.unit);
    this.settle(view);
  }

  /** @param {View} view */
  drawProgress(view) {
    const progress = find(this.root, "progress", HTMLProgressElement), isLearning = ["preparing", "learning"].includes(view.status);
    this.root.dataset.status = view.status;
    progress.hidden = !isLearning;
    progress.value = view.share;
    find(this.root, ".stop").hidden = !isLearning;
    find(this.root, ".progress-line").textContent = view.progress;
    find(this.root, ".notes").replaceChildren(...view.notes.map(({ kind, text }) => element("p", `note ${kind}`, text)));
  }

  /** @param {View} view */
  draw(view) {
    this.drawProgress(view);
    const { runs } = view;
    nameSteps(this.root, runs);
    find(this.root, ".film").hidden = !runs.length;
    this.drawChoice(view);
  }

  /** @param {View} view */
  drawChoice({ samples }) {
    const sample = samples.includes(this.choice.sample) ? this.choice.sample : samples[0];
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.root.querySelectorAll("[data-sample]"))) {
      button.hidden = !samples.some((name) => name === button.dataset.sample);
      button.setAttribute("aria-pressed", String(button.dataset.sample === sample));
    }
    this.ownText.hidden = sample !== "own";
    if (!this.ownText.matches(":focus")) this.ownText.value = this.choice.own_text;
    find(this.root, ".own-full").hidden = sample !== "own" || this.ownText.value.length < this.ownText.maxLength;
  }

  /** Ask for one run of the page if the results below are older than the run's. @param {View} view */
  settle({ result, status }) {
    if (["preparing", "learning"].includes(status) || result === this.data?.result || result === this.settledFor) return;
    this.settledFor = result;
    this.tell("settled");
  }
}
