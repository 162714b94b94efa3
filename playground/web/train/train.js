// Train: the buttons, progress and film of a run. The server is polled while the run changes. A press goes to a route
// of the session and needs no run of the page.

import { chartToSvg } from "../save/save_chart.js";
import { dataOf, element, fillSelect, find, showIcon } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { pictureKind, savePicture } from "../shared/save.js";
import { TabMemory, tabStore } from "../shared/tab_memory.js";
import { NewestWins, postJson, Reconnect, sentenceOf } from "../shared/wire.js";
import { counted } from "../shared/wording.js";
import { UNITS } from "./curve.js";
import { Film, stepName } from "./film.js";

const POLL_MS = 250;
const OWN_TEXT = "The dog. The dog! A dog? Dogs in 2026 don't dig.";

/** Data from Python; see `ui/train/view.py`. @typedef {import("../shared/wire_types.d.ts").TrainData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").TrainEvent} Said */
/** @typedef {import("../shared/wire_types.d.ts").TrainView} View */
/** @typedef {import("../shared/wire_types.d.ts").TrainRequests} Requests */
/**
 * Choices of this tab: the film's text and word (null: the longest word of the text), and the unit of the curve.
 * @typedef {{sample: Requests["look"]["sample"], own_text: string, word: string | null, unit: import("./curve.js").UnitName}} Choice
 */

export default component(".train", (root, signal) => new Train(root, signal));

/**
 * Which buttons are enabled in a status, and whether Pause is labelled Resume.
 * @param {string} status
 */
export function transportOf(status) {
  const isPaused = status === "paused", canEnd = isPaused || status === "running" || status === "preparing";
  return { isPaused, canPause: isPaused || status === "running", canStep: isPaused, canStop: canEnd, canReset: status !== "" };
}

/**
 * The merge number in the field "pause at": null for an empty field, undefined for an invalid number.
 * @param {string} text
 */
export function pauseAt(text) {
  if (text.trim() === "") return null;
  const merge = Number(text);
  return Number.isInteger(merge) && merge >= 1 && merge <= 1e9 ? merge : undefined;
}

class Train {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    /** @type {View | null} */
    this.view = null;
    this.seen = "";
    this.settledFor = "";
    /** @type {TabMemory<Choice>} */
    this.memory = new TabMemory(tabStore, "tessera.train");
    /** @type {Choice} */
    this.choice = { sample: "held_out", own_text: OWN_TEXT, word: null, unit: "times", ...this.memory.read() };
    this.tell = (/** @type {Said} */ _name) => {};
    this.film = new Film(find(root, ".film"), signal, (word) => this.choose({ word }));
    this.looking = new NewestWins(() => this.look());
    this.reconnect = new Reconnect({ askForSession: () => this.tell("lost"), reopen: () => this.looking.push(null) });
    this.speed = find(root, ".speed", HTMLSelectElement);
    this.pauseAt = find(root, ".pause-at", HTMLInputElement);
    this.ownText = find(root, ".own-text", HTMLTextAreaElement);
    this.pause = find(root, ".pause", HTMLButtonElement);
    const press = (/** @type {string} */ selector, /** @type {() => void} */ act) => find(root, selector).addEventListener("click", act, { signal });
    press(".pause", () => this.press(this.root.dataset.status === "paused" ? "resume" : "pause"));
    press(".stop", () => this.press("stop"));
    press(".reset", () => this.press("reset"));
    for (const field of [this.speed, this.pauseAt]) field.addEventListener("change", () => this.pace(), { signal });
    this.ownText.addEventListener("input", () => this.choose({ own_text: this.ownText.value }), { signal });
    root.addEventListener("click", (event) => this.click(event), { signal });
    document.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  destroy() {
    clearTimeout(this.timer);
    this.reconnect.end();
    this.film.stop();
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const old = this.data;
    this.data = data;
    this.tell = (/** @type {Said} */ name) => setTriggerValue(name, Date.now());
    fillSelect(this.speed, data.speeds.map((speed) => [speed, speed]));
    if (old?.url !== data.url) this.seen = "";
    if (data.chosen && data.chosen[1] !== (old?.chosen?.[1] ?? 0) && old) this.film.stopAt(data.chosen[0]);
    this.looking.push(null);
  }

  /** Fetch the run's current state. */
  async look() {
    clearTimeout(this.timer);
    const { data, choice } = this;
    if (!data) return;
    const { sample, own_text, word } = choice;
    try {
      const { revision, view } = await postJson(data.url, "look", { seen: this.seen, sample, own_text: sample === "own" ? own_text : "", word });
      this.reconnect.stop();
      this.seen = revision;
      if (view) this.draw(view);
    } catch (error) {
      if (!this.reconnect.seeks(error)) find(this.root, ".progress-line").textContent = sentenceOf(error);
      return;
    }
    if (this.view?.is_changing) this.timer = setTimeout(() => this.looking.push(null), POLL_MS);
  }

  /** @param {Exclude<keyof Requests, "look">} action @param {object} [body] */
  async press(action, body = {}) {
    if (!this.data) return;
    try {
      const { status } = await postJson(this.data.url, action, body);
      if (status !== undefined) this.drawTransport(status); // at once: the view is larger
    } catch (error) {
      if (!this.reconnect.seeks(error)) find(this.root, ".progress-line").textContent = sentenceOf(error);
    }
    this.looking.push(null);
  }

  pace() {
    const pause_at = pauseAt(this.pauseAt.value);
    if (pause_at !== undefined) this.press("pace", { speed: this.speed.value, pause_at });
  }

  /** Space plays or pauses, and arrows go a merge back or on, as in a presented lesson. @param {KeyboardEvent} event */
  key(event) {
    if (event.target !== document.body || event.ctrlKey || event.metaKey || event.altKey || !this.view?.film) return;
    const { status, film } = this.view, isNewest = this.film.k >= film.n, isPaused = status === "paused";
    if (event.key === " ") {
      if (film.is_live) this.press("pause");
      else if (isPaused && isNewest) this.press("resume");
      else this.film.togglePlay();
    } else if (event.key === "ArrowRight" && isPaused && isNewest) this.press("step", { n_merges: 1 });
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.film.stepBy(event.key === "ArrowRight" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  /** @param {Event} event */
  click(event) {
    const step = dataOf(event, "step"), sample = dataOf(event, "sample"), unit = dataOf(event, "unit"), picture = pictureKind(dataOf(event, "picture"));
    if (step) this.press("step", { n_merges: Number(step) });
    if (sample === "held_out" || sample === "training" || sample === "own") this.choose({ sample });
    if (unit && unit in UNITS) this.choose({ unit: /** @type {Choice["unit"]} */ (unit) });
    if (picture) savePicture(chartToSvg(this.film.curve.document()), picture, "training");
  }

  /** @param {Partial<Choice>} change */
  choose(change) {
    Object.assign(this.choice, change);
    this.memory.write(this.choice);
    if (this.view) this.drawChoice(this.view);
    if (this.view?.film && change.unit) this.film.drawCurve(this.view.film, change.unit);
    else this.looking.push(null);
  }

  /** @param {View} view */
  draw(view) {
    this.view = view;
    this.drawTransport(view.status);
    this.speed.value = view.speed;
    if (!this.pauseAt.matches(":focus")) this.pauseAt.value = view.pause_at === null ? "" : String(view.pause_at);
    const progress = find(this.root, "progress", HTMLProgressElement);
    progress.hidden = view.film !== null; // the slider shows how far the run is
    progress.value = view.share;
    find(this.root, ".progress-line").textContent = view.progress;
    find(this.root, ".notes").replaceChildren(...view.notes.map(({ kind, text }) => element("p", `note ${kind}`, text)));
    this.nameSteps(view);
    this.root.toggleAttribute("data-beside", view.beside.length > 0);
    this.root.style.setProperty("--runs", String(view.beside.length + 1));
    find(this.root, ".film").hidden = !view.film;
    this.drawChoice(view);
    if (view.film) this.film.show(view.film, view.run, this.choice.unit, view.beside);
    this.settle(view);
  }

  /** Draw the buttons of a run. @param {string} status */
  drawTransport(status) {
    const { isPaused, canPause, canStep, canStop, canReset } = transportOf(status);
    this.root.dataset.status = status;
    showIcon(this.pause, isPaused ? "play" : "pause", isPaused ? "Resume" : "Pause");
    this.pause.disabled = !canPause;
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.root.querySelectorAll("[data-step]"))) button.disabled = !canStep;
    find(this.root, ".stop", HTMLButtonElement).disabled = !canStop;
    find(this.root, ".reset", HTMLButtonElement).disabled = !canReset;
  }

  /** Name the steps in buttons and heads as the algorithm does. @param {View} view */
  nameSteps({ film, beside }) {
    const name = stepName(film ? [film, ...beside] : []);
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.root.querySelectorAll("[data-step]"))) button.title = `${counted(Number(button.dataset.step), `more ${name}`)}; pause first`;
    find(this.root, ".pause-label").textContent = `Pause at ${name}`;
    find(this.root, ".step-head").textContent = film?.curve.step ?? name;
  }

  /** @param {View} view */
  drawChoice({ film }) {
    const sample = film?.sample ?? this.choice.sample;
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.root.querySelectorAll("[data-sample]"))) {
      button.hidden = film !== null && !film.samples.some((name) => name === button.dataset.sample);
      button.setAttribute("aria-pressed", String(button.dataset.sample === sample));
    }
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll("[data-unit]"))) button.setAttribute("aria-pressed", String(button.dataset.unit === this.choice.unit));
    this.ownText.hidden = sample !== "own";
    if (!this.ownText.matches(":focus")) this.ownText.value = this.choice.own_text;
    find(this.root, ".own-full").hidden = sample !== "own" || this.ownText.value.length < this.ownText.maxLength;
  }

  /** Ask for one run of the page if the results below are older than the run's. @param {View} view */
  settle({ result, status, film }) {
    if (status === "preparing" || film?.is_live || result === this.data?.result || result === this.settledFor) return;
    this.settledFor = result;
    this.tell("settled");
  }
}
