// The trees of Merge tree: a text field, the trees of its text, and the step player, kept in step with the server.

import { dataOf, find, Notes } from "../shared/element.js";
import { LiveField } from "../shared/live_field.js";
import { component } from "../shared/mount.js";
import { savePage } from "../shared/save.js";
import { TabMemory, tabStore } from "../shared/tab_memory.js";
import { postJson, Requests, Settling } from "../shared/wire.js";
import { listenForPictures } from "./plain_trees.js";
import { PlayedTrees } from "./played_trees.js";

const SETTLE_MS = 600;

/** Data from Python; see `ui/merge_tree/trees.py`. @typedef {import("../shared/wire_types.d.ts").MergeTreeData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").MergeTreeEvent} Said */
/** The meaning of a joint's height. @typedef {"depth" | "order"} Height */

class MergeTreePage {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    this.drawn = "";
    this.shownText = "";
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    // When typing pauses, one run of the page draws the race of the first word.
    this.settling = new Settling(signal, SETTLE_MS, () => this.setTriggerValue("settled", Date.now()));
    this.sync = new MergeTreeSync({
      send: (url, body) => postJson(url, "draw", body),
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      onAnswer: (answer, kinds, wanted) => this.show(answer, kinds, wanted),
      onProblem: (sentence) => this.notes.problem("server", sentence),
    });
    this.trees = new PlayedTrees(root, signal);
    this.player = this.trees.player;
    this.notes = new Notes(find(root, ".notes"), () => [...this.text.notes(), this.exampleNote()]);
    /** @type {LiveField<Data>} */
    this.text = new LiveField(root, signal, { page: "merge_tree", notes: this.notes, onText: () => this.follow(), share: () => this.place });
    /** Where the player stands, in a text of this length. @type {TabMemory<{step: number, height_by: Height, n_characters: number}>} */
    this.memory = new TabMemory(tabStore, "tessera.merge_tree");
    /** The place of a link, or that before a reload. @type {{step?: unknown, height_by?: unknown, n_characters?: unknown}} */
    this.awaited = { n_characters: this.text.linked?.text?.length, ...(this.text.linked ?? this.memory.read()) };
    /** @type {Height} */
    this.heightBy = this.awaited.height_by === "order" ? "order" : "depth";
    const onChoice = (/** @type {Event} */ event) => {
      const height = dataOf(event, "height");
      if (!height) return;
      this.heightBy = /** @type {Height} */ (height);
      this.follow();
    };
    find(root, ".choice").addEventListener("click", onChoice, { signal });
    globalThis.addEventListener("pagehide", () => this.save(), { signal });
    find(root, ".save-page").addEventListener("click", () => this.savePage(), { signal });
    listenForPictures(root, signal, () => this.data && { ...this.data, file_name: `merge-tree-${this.data.tokenizer}` });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.root.dataset.view = data.view;
    this.trees.fit();
    this.text.update(data);
  }

  destroy() {
    this.save();
    this.text.destroy();
    this.player.pause();
    this.sync.requests.end();
  }

  /** The note of an example, which describes GPT-2's trees. */
  exampleNote() {
    return this.data?.tokenizer === "gpt2" ? this.text.field.exampleNote() : null;
  }

  // ---- talking with the server

  /** Request the trees of the current text. */
  follow() {
    const { data, heightBy } = this, text = this.text.text.toWellFormed();
    if (data && this.drawn !== drawnOf(data, heightBy, text)) void this.sync.requests.push({ url: data.url, text, heightBy });
  }

  /** Where the player stands, and the meaning of a joint's height. */
  get place() {
    return { step: this.player.frame, height_by: this.heightBy, n_characters: this.shownText.length };
  }

  /** Keep the player's place for a reload, or for when the page is opened again. */
  save() {
    if (this.drawn) this.memory.write(this.place);
  }

  async savePage() {
    const shown = { text: this.text.text.toWellFormed(), height_by: this.heightBy, step: this.player.frame };
    this.notes.problem("page", await savePage(this.data?.url ?? "", shown).then(() => "", (error) => error.message));
  }

  /** The step to show of a text: that of a link or of before the reload, the present one if it is shown already, else the first. @param {string} text */
  stepIn(text) {
    const { step = 0, n_characters = text.length } = this.drawn ? {} : this.awaited;
    if (text === this.shownText && this.trees.kinds.length) return this.player.frame;
    return typeof step === "number" && n_characters === text.length ? step : 0;
  }

  // ---- showing

  /** @param {Answer} answer @param {Kind[]} kinds @param {Wanted} wanted */
  show(answer, kinds, { url, text, heightBy }) {
    const drawn = drawnOf({ url, revision: answer.revision }, heightBy, text);
    if (drawn === this.drawn) return;
    if (this.data?.view === "race" && answer.version !== this.data.version) this.settling.touch();
    const step = this.stepIn(text);
    this.drawn = drawn;
    this.trees.draw(kinds);
    this.trees.play(answer, step);
    this.shownText = text;
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll("[data-height]"))) {
      button.setAttribute("aria-checked", String(button.dataset.height === heightBy));
    }
    this.notes.problem("difference", answer.problem);
    find(this.root, ".choice").hidden = answer.n_tokens > 0 && kinds.every((kind) => !kind.steps) && answer.n_merges === 0;
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }
}

/**
 * A key for what is drawn: a text in a revision of a session, which may arrive before the page's data.
 * @param {Pick<Data, "url" | "revision">} session @param {Height} heightBy @param {string} text
 */
const drawnOf = ({ url, revision }, heightBy, text) => `${url} ${revision} ${heightBy} ${text}`;

/** The pretokens by number, the new ones of this epoch, and the counts. @typedef {import("../shared/wire_types.d.ts").MergeTreesAnswer} Answer */
/** @typedef {import("../shared/wire_types.d.ts").DrawnPretoken} Kind */
/** @typedef {import("../shared/wire_types.d.ts").MergeTreeRequests["draw"]} Request */

/** A request for trees. @typedef {{url: string, text: string, heightBy: Height}} Wanted */

/** Requests trees, of which the server sends those that the browser lacks. */
export class MergeTreeSync {
  /**
   * `onAnswer` gets an answer with the trees' pretokens in order.
   * @param {{send: (url: string, body: Request) => Promise<Answer>, askForSession: () => void,
   *   onAnswer: (answer: Answer, kinds: Kind[], wanted: Wanted) => void, onProblem: (sentence: string) => void}} use
   */
  constructor(use) {
    this.use = use;
    /** @type {Kind[]} pretokens by the number that the server gave them in this epoch */
    this.kinds = [];
    this.epoch = "";
    /** @type {Requests<Wanted>} */
    this.requests = new Requests({ ...use, ask: (wanted) => this.ask(wanted) });
  }

  /** @param {Wanted} wanted */
  async ask(wanted) {
    const { url, text, heightBy } = wanted, { epoch } = this;
    this.epoch = ""; // until an answer has come
    const answer = await this.use.send(url, { text, height_by: heightBy, epoch });
    if (answer.epoch !== epoch) this.kinds = [];
    this.epoch = answer.epoch;
    for (const [number, kind] of Object.entries(answer.new)) this.kinds[Number(number)] = kind;
    this.use.onAnswer(answer, answer.pretokens.map((number) => this.kinds[number]), wanted);
  }
}

export default component(".merge-tree-page", (root, signal) => new MergeTreePage(root, signal));
