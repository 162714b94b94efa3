// The trees of Merge tree: a text field, the trees of its text, and the step player, kept in step with the server.

import { onShare, takePayload } from "../shared/address.js";
import { DeskField } from "../shared/desk.js";
import { dataOf, find, Notes } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { savePage } from "../shared/save.js";
import { TextField } from "../shared/text_field.js";
import { NewestWins, postJson, Reconnect, sentenceOf } from "../shared/wire.js";
import { listenForPictures } from "./plain_trees.js";
import { PlayedTrees } from "./played_trees.js";

const SETTLE_MS = 600;

/** Data from Python; see `ui/merge_tree/trees.py`. @typedef {import("../shared/wire_types.d.ts").MergeTreeData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").MergeTreeEvent} Said */

class MergeTreePage {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    this.drawn = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.racing = undefined;
    this.shownText = "";
    this.linked = takePayload("merge_tree");
    /** @type {Data["height_by"]} */
    this.heightBy = "depth";
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    this.sync = new MergeTreeSync({
      send: (body) => postJson(this.data?.url ?? "", "draw", body),
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      onAnswer: (answer, kinds, wanted) => this.show(answer, kinds, wanted),
      onProblem: (sentence) => this.notes.problem("server", sentence),
    });
    this.trees = new PlayedTrees(root, signal, () => this.follow()); // so that the step is saved
    this.player = this.trees.player;
    const onText = () => {
      this.notes.problem("too long", "");
      this.follow(0);
    };
    this.desk = new DeskField("merge_tree", () => ({ field: this.field, onText }));
    this.field = new TextField(root, signal, {
      getLimit: () => this.data?.max_bytes ?? Infinity,
      onText: (text) => {
        this.desk.change(text);
        onText();
        this.notes.draw();
      },
      onTooLong: (error) => {
        this.desk.keep(this.field.text);
        this.notes.problem("too long", error.message);
      },
      onProblem: (error) => this.notes.problem("file", error.message),
      onNotes: () => this.notes.draw(),
    });
    this.notes = new Notes(find(root, ".notes"), () => [this.field.undoNote() ?? this.desk.note(), this.exampleNote()]);
    const onChoice = (/** @type {Event} */ event) => {
      const height = dataOf(event, "height");
      if (!height) return;
      this.heightBy = /** @type {Data["height_by"]} */ (height);
      this.follow();
    };
    find(root, ".choice").addEventListener("click", onChoice, { signal });
    onShare(signal, () => this.share());
    find(root, ".save-page").addEventListener("click", () => this.savePage(), { signal });
    listenForPictures(root, signal, () => this.data && { ...this.data, file_name: `merge-tree-${this.data.tokenizer}` });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const old = this.data;
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.root.dataset.view = data.view;
    this.field.offer(data.examples);
    this.trees.fit();
    if (old?.revision === data.revision && old.url === data.url) return;
    const linked = old ? null : this.linked, opening = this.desk.opening(data.url, data.text_revision, data.text, linked?.text);
    const isSet = !old || (old.url === data.url && old.text_revision !== data.text_revision);
    if (!old) this.field.open(opening);
    else if (isSet) this.field.show(data.text);
    if (isSet) this.heightBy = /** @type {Data["height_by"] | undefined} */ (linked?.height_by) ?? data.height_by;
    this.notes.draw();
    const text = this.field.text.toWellFormed();
    if (this.drawn === drawnOf(data, this.heightBy, text)) return; // the server's answer came first
    if (isSet) this.follow(typeof linked?.step === "number" ? linked.step : text === data.text ? data.step : 0);
    else this.follow(text === this.shownText ? this.player.frame : 0); // the server may not know the last step
  }

  /** Save the player's step when the page is left. */
  destroy() {
    clearTimeout(this.settling);
    clearTimeout(this.racing);
    this.desk.save();
    const isMoved = this.player.isSettling;
    this.player.stop();
    if (isMoved) this.follow();
    this.sync.end();
  }

  /** The note of an example, which describes GPT-2's trees. */
  exampleNote() {
    return this.data?.tokenizer === "gpt2" ? this.field.exampleNote() : null;
  }

  // ---- talking with the server

  /** Request the trees of the current text; `step` is the player's step in it. @param {number} [step] */
  follow(step) {
    const { frame, nMoves } = this.player, { waiting } = this.sync;
    const isWaiting = waiting && (waiting.nMoves === nMoves || waiting.text !== this.shownText); // and no later move replaces it
    const url = this.data?.url ?? "", text = this.field.text.toWellFormed();
    this.sync.push({ url, text, heightBy: this.heightBy, step: step ?? (isWaiting ? waiting.step : frame), nMoves });
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.desk.save(), SETTLE_MS);
  }

  /** When typing pauses, ask for one run of the page, which draws the race of the first word. */
  settleRace() {
    clearTimeout(this.racing);
    this.racing = setTimeout(() => this.setTriggerValue("settled", Date.now()), SETTLE_MS);
  }

  /** The values for a copied address: the text, the player's step, and the meaning of a joint's height. */
  async share() {
    return { page: "merge_tree", text: this.field.text, step: this.player.frame, height_by: this.heightBy };
  }

  async savePage() {
    const shown = { text: this.field.text.toWellFormed(), height_by: this.heightBy, step: this.player.frame };
    this.notes.problem("page", await savePage(this.data?.url ?? "", shown).then(() => "", (error) => error.message));
  }

  // ---- showing

  /** @param {Answer} answer @param {Kind[]} kinds @param {Wanted} wanted */
  show(answer, kinds, { url, text, heightBy, step, nMoves }) {
    const drawn = drawnOf({ url, revision: answer.revision }, heightBy, text);
    if (drawn === this.drawn) return;
    if (this.data?.view === "race" && text !== this.data.text) this.settleRace();
    this.drawn = drawn;
    this.trees.draw(kinds);
    const isMoved = text === this.shownText && nMoves !== this.player.nMoves; // while the answer was in transit
    this.shownText = text;
    this.trees.play(answer, isMoved ? this.player.frame : step);
    if (isMoved) this.follow(); // the server knows only the previous step
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
 * @param {Pick<Data, "url" | "revision">} session @param {Data["height_by"]} heightBy @param {string} text
 */
const drawnOf = ({ url, revision }, heightBy, text) => `${url} ${revision} ${heightBy} ${text}`;

/** The pretokens by number, the new ones of this epoch, and the counts. @typedef {import("../shared/wire_types.d.ts").MergeTreesAnswer} Answer */
/** @typedef {import("../shared/wire_types.d.ts").DrawnPretoken} Kind */
/** @typedef {import("../shared/wire_types.d.ts").MergeTreeRequests["draw"]} Request */

/**
 * A request for trees: its session, text, joint height and step, and the number of moves before the request.
 * @typedef {{url: string, text: string, heightBy: "depth" | "order", step: number, nMoves: number}} Wanted
 */

/** Requests trees, one at a time, the newest first, and repeats a request until a server answers. */
export class MergeTreeSync {
  /**
   * `onAnswer` gets an answer with the trees' pretokens in order; `onProblem` gets a sentence, "" when all is well.
   * @param {{send: (body: Request) => Promise<Answer>, askForSession: () => void,
   *   onAnswer: (answer: Answer, kinds: Kind[], wanted: Wanted) => void, onProblem: (sentence: string) => void}} how
   */
  constructor({ send, askForSession, onAnswer, onProblem }) {
    this.send = send;
    this.onAnswer = onAnswer;
    this.onProblem = onProblem;
    /** @type {Wanted | null} what was wanted last */
    this.wanted = null;
    /** @type {Kind[]} pretokens by the number that the server gave them in this epoch */
    this.kinds = [];
    this.epoch = "";
    this.queue = new NewestWins((/** @type {Wanted} */ wanted) => this.ask(wanted));
    this.reconnect = new Reconnect({ askForSession, reopen: () => this.wanted && this.push(this.wanted) });
  }

  /** The waiting request. */
  get waiting() {
    return this.queue.next?.wanted;
  }

  /** @param {Wanted} wanted */
  push(wanted) {
    this.wanted = wanted;
    return this.queue.push(wanted);
  }

  /** Stop reconnecting; the page was left. */
  end() {
    this.reconnect.end();
  }

  /** @param {Wanted} wanted */
  async ask(wanted) {
    const { text, heightBy, step } = wanted;
    try {
      const answer = await this.send({ text, height_by: heightBy, step, epoch: this.epoch });
      this.reconnect.stop();
      if (answer.epoch !== this.epoch) this.kinds = [];
      this.epoch = answer.epoch;
      for (const [number, kind] of Object.entries(answer.new)) this.kinds[Number(number)] = kind;
      this.onAnswer(answer, answer.pretokens.map((number) => this.kinds[number]), wanted);
      this.onProblem("");
    } catch (error) {
      this.epoch = "";
      this.reconnect.seeks(error);
      this.onProblem(sentenceOf(error));
    }
  }
}

export default component(".merge-tree-page", (root, signal) => new MergeTreePage(root, signal));
