// The page Expect: one or two texts, or one text in two cuts, read by a small language model as they are typed.

import { button, dataOf, find, note, Notes } from "../shared/element.js";
import { LiveField } from "../shared/live_field.js";
import { component } from "../shared/mount.js";
import { findEdit } from "../shared/source_text.js";
import { TabMemory, tabStore } from "../shared/tab_memory.js";
import { TextField } from "../shared/text_field.js";
import { postJson, RefusedError } from "../shared/wire.js";
import { movedCuts, partsOf, shownBits } from "./bits.js";
import { GetModel } from "./get_model.js";
import { legend, panelOf } from "./panel.js";
import { readingRequests } from "./reading_requests.js";
import { Side } from "./side.js";

/** As many tokens are read at most. */
const MAX_CUTS = 1000;
/** The model is gone. */
const CONFLICT = 409;

/** Data from Python; see `ui/expect/view.py`. @typedef {import("../shared/wire_types.d.ts").ExpectData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").ExpectEvent} Said */
/** @typedef {import("../shared/wire_types.d.ts").ShownExperiment} Experiment */
/** What is beside the text: nothing, a second text, or the same text cut at other places. @typedef {"one" | "two" | "cut"} Mode */
/** @typedef {{mode: Mode, second: string, cuts: number[]}} Kept */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

class ExpectPage {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    /** @type {TabMemory<Kept>} */
    this.memory = new TabMemory(tabStore, "tessera.expect");
    const first = find(root, ".first"), second = find(root, ".second");
    this.notes = new Notes(find(root, ".notices"), () => [this.experimentNote() ?? this.live.field.exampleNote(), ...this.live.notes()]);
    /** @type {LiveField<Data>} */
    this.live = new LiveField(first, signal, {
      page: "expect",
      notes: this.notes,
      onText: () => this.follow(),
      onTooLong: (error) => {
        this.notes.problem("text", error.message.split(" Shorten")[0]);
        this.clear("text");
        if (this.mode === "cut") this.clear("second");
      },
      share: () => this.kept(),
    });
    this.field = this.live.field;
    const kept = this.live.linked ?? this.memory.read();
    /** @type {Mode} */
    this.mode = kept.mode === "two" || kept.mode === "cut" ? kept.mode : "one";
    /** @type {number[]} */
    this.cuts = Array.isArray(kept.cuts) ? kept.cuts.filter(Number.isInteger).slice(0, MAX_CUTS) : [];
    /** @type {Experiment | null} */
    this.experiment = null;
    /** The text that the cuts belong to; null before the first. @type {string | null} */
    this.lastText = null;
    this.sides = { text: this.makeSide(first, signal), second: this.makeSide(second, signal) };
    this.panelSide = this.sides.text;
    this.syncs = { text: this.makeSync("text"), second: this.makeSync("second") };
    this.secondField = new TextField(second, signal, {
      getLimit: () => this.data?.max_bytes ?? Infinity,
      onText: () => {
        this.secondNotes.problem("text", "");
        this.follow();
        this.secondNotes.draw();
      },
      onTooLong: (error) => {
        this.secondNotes.problem("text", error.message.split(" Shorten")[0]);
        this.clear("second");
      },
      onProblem: (error) => this.secondNotes.problem("file", error.message),
      onNotes: () => this.secondNotes.draw(),
      takesFiles: () => false,
    });
    this.secondNotes = new Notes(find(second, ".notes"), () => [this.secondField.undoNote()]);
    this.secondField.show(typeof kept.second === "string" ? kept.second : "");
    const onMode = (/** @type {Event} */ event) => {
      const mode = dataOf(event, "mode");
      if (mode) this.setMode(/** @type {Mode} */ (mode));
    };
    find(root, ".modes").addEventListener("click", onMode, { signal });
    find(root, ".cut-all").addEventListener("click", () => this.setCuts(this.gaps()), { signal });
    find(root, ".cut-none").addEventListener("click", () => this.setCuts([]), { signal });
    find(root, ".legend").replaceChildren(...legend());
    this.model = new GetModel(root, signal, () => this.data?.url ?? "", () => this.setTriggerValue("changed", Date.now()));
    globalThis.addEventListener("pagehide", () => this.save(), { signal });
  }

  /** @param {HTMLElement} section @param {AbortSignal} signal */
  makeSide(section, signal) {
    return new Side(find(section, ".headline"), find(section, ".tokens"), signal, {
      onChoose: (side) => {
        this.panelSide = side;
        this.drawPanel();
      },
      onNext: () => this.typeLikeliest(),
      onGap: (at) => this.setCuts(this.cuts.includes(at) ? this.cuts.filter((cut) => cut !== at) : [...this.cuts, at]),
    });
  }

  /** @param {"text" | "second"} name */
  makeSync(name) {
    return readingRequests({
      send: (url, body) => postJson(url, "read", body),
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      onAnswer: (answer, { body }) => this.show(name, answer, body.parts),
      onProblem: (sentence, error) => {
        this.notes.problem("server", sentence);
        if (error instanceof RefusedError && error.status === CONFLICT) this.setTriggerValue("changed", Date.now());
      },
    });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const old = this.data;
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.secondField.offer(data.examples);
    this.model.update(data);
    if (!old) {
      find(this.root, ".experiments").replaceChildren(...data.experiments.map((each) => button(each.title, each.notice, () => this.run(each))));
      this.drawMode();
      if (!data.model) this.model.fetch("fetching");
    }
    this.live.update(data);
    if (old && JSON.stringify(old.model) !== JSON.stringify(data.model)) this.follow();
  }

  destroy() {
    this.live.destroy();
    this.save();
    for (const sync of Object.values(this.syncs)) {
      sync.cancel();
      sync.end();
    }
  }

  kept() {
    return { mode: this.mode, second: this.secondField.text, cuts: this.cuts };
  }

  save() {
    this.memory.write(this.kept());
  }

  // ---- what is read

  /** Have the texts read as they are now. */
  follow() {
    const { field, data } = this, text = field.text;
    if (this.lastText !== null) this.cuts = movedCuts(this.cuts, findEdit(this.lastText, text));
    this.lastText = text;
    if (this.experiment && (text !== this.experiment.text || (this.mode === "two" && this.secondField.text !== this.experiment.second))) this.experiment = null;
    if (!data?.model) return;
    if (field.isTooLong()) return;
    this.ask("text", "text", [text.toWellFormed()]);
    if (this.mode === "cut") this.ask("second", "cut", partsOf(text.toWellFormed(), this.cuts));
    else if (this.mode === "two" && !this.secondField.isTooLong()) this.ask("second", "second", [this.secondField.text.toWellFormed()]);
    else this.clear("second");
  }

  /** @param {"text" | "second"} name @param {import("./reading_requests.js").Wanted["body"]["side"]} side @param {string[]} parts */
  ask(name, side, parts) {
    this.sides[name].wait();
    void this.syncs[name].push({ url: this.data?.url ?? "", body: { side, parts } });
  }

  /** @param {"text" | "second"} name */
  clear(name) {
    this.syncs[name].cancel();
    this.sides[name].show(null, "", null);
    if (this.panelSide === this.sides[name]) this.panelSide = this.sides.text;
    this.drawPanel();
  }

  /** @param {"text" | "second"} name @param {import("./reading_requests.js").Answer} answer @param {string[]} parts */
  show(name, answer, parts) {
    this.sides[name].show(answer, parts.join(""), name === "second" && this.mode === "cut" ? this.cuts : null);
    if (this.mode === "cut") this.compareCuts();
    if (this.panelSide === this.sides[name]) this.drawPanel();
    this.root.dataset.read = String(Number(this.root.dataset.read ?? 0) + 1);
  }

  /** Say what another cut costs, once both are read. */
  compareCuts() {
    const { text, second } = this.sides;
    if (!text.answer?.is_over || !second.answer?.is_over || text.text !== second.text || !this.cuts.length) return;
    const more = second.nBits - text.nBits, size = shownBits(Math.abs(more));
    second.tell();
    second.headline.append(` · ${size === "0.0" ? "as many bits as the tokenizer’s own cut" : `${size} bits ${more > 0 ? "more" : "fewer"} than the tokenizer’s own cut`}`);
  }

  drawPanel() {
    for (const each of Object.values(this.sides)) each.box.classList.toggle("active", each === this.panelSide);
    const side = this.panelSide, types = side === this.sides.text || this.mode === "two";
    find(this.root, ".panel .chosen").replaceChildren(...panelOf(side, types ? (text) => this.type(text) : null));
  }

  // ---- what is done

  /** Add a text behind the one that the panel is about. @param {string} text */
  type(text) {
    const field = this.panelSide === this.sides.second ? this.secondField : this.field;
    field.show(field.text + text);
    field.push();
  }

  /** Type the likeliest next token of the chosen side that can be typed. */
  typeLikeliest() {
    const { answer } = this.panelSide;
    if (!answer?.is_over || (this.mode === "cut" && this.panelSide === this.sides.second)) return;
    const typed = answer.expected[answer.ids.length].likeliest.map(([token]) => answer.named[token]?.typed).find(Boolean);
    if (typed) this.type(typed);
  }

  /** @param {Experiment} experiment */
  run(experiment) {
    this.experiment = experiment;
    this.cuts = [];
    this.mode = experiment.second ? "two" : experiment.cuts.length ? "cut" : "one";
    const isOurs = (/** @type {string} */ text) => this.data?.experiments.some((each) => each.text === text || each.second === text);
    if (experiment.second) {
      this.secondField.offerBack(experiment.second, "The experiment replaced your second text.", isOurs(this.secondField.text) ? "" : undefined);
      this.secondField.show(experiment.second);
      this.secondNotes.draw();
    }
    this.lastText = experiment.text;
    this.cuts = [...experiment.cuts];
    this.field.offerBack(experiment.text, "The experiment replaced your text.", isOurs(this.field.text) ? "" : undefined);
    this.field.show(experiment.text);
    this.field.push();
    this.drawMode();
  }

  /** What to notice in the experiment that is shown. */
  experimentNote() {
    for (const made of find(this.root, ".experiments").children) made.setAttribute("aria-pressed", String(made.textContent === this.experiment?.title));
    return this.experiment && note(this.experiment.notice);
  }

  /** @param {Mode} mode */
  setMode(mode) {
    if (mode === "two" && !this.secondField.text) this.secondField.show(this.field.text);
    this.mode = mode;
    this.experiment = null;
    this.drawMode();
    this.notes.draw();
    this.follow();
  }

  drawMode() {
    const { root, mode } = this;
    for (const made of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-mode]"))) made.setAttribute("aria-checked", String(made.dataset.mode === mode));
    root.dataset.shows = mode;
    find(root, ".second").hidden = mode === "one";
    find(root, ".second .field").hidden = mode !== "two";
    find(root, ".cutting").hidden = mode !== "cut";
  }

  /** The places between letters of the text, as far as it is read when each letter is a token. */
  gaps() {
    return Array.from(graphemes.segment(this.field.text), ({ index }) => index).slice(1, MAX_CUTS + 1);
  }

  /** @param {number[]} cuts */
  setCuts(cuts) {
    this.cuts = cuts.toSorted((one, other) => one - other);
    this.experiment = null;
    this.notes.draw();
    this.follow();
  }
}

export default component(".expect", (root, signal) => new ExpectPage(root, signal));
