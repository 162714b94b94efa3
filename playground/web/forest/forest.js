// Merge forest: the text field, the trees and the player, kept in step with the server.

import { copyLink } from "../shared/copy.js";
import { ForestView } from "../shared/forest_view.js";
import { component } from "../shared/mount.js";
import { count, note, readStore, TextField, writeStore } from "../shared/text_field.js";
import { postJson } from "../shared/wire.js";
import { element, StepPlayer } from "./step_player.js";
import { downloadTrees } from "./tree_picture.js";

const STORE = "tessera.merge-tree"; // sessionStorage: this tab only, so that a reload loses nothing
const SETTLE_MS = 600;
export default component(".forest-page", (root) => {
  let page;
  return {
    update({ data }) {
      page ??= data.is_plain ? new PlainTrees(root) : new ForestPage(root);
      page.update(data);
    },
    destroy: () => page.leave?.(),
  };
});

/** Finished trees: to hover, walk and download. */
class PlainTrees {
  constructor(root) {
    root.classList.add("plain");
    this.view = new ForestView(root.querySelector(".forest"), root.querySelector(".about"));
    listenForDownloads(root, () => this.data);
  }

  update(data) {
    this.data = data;
    this.view.fitType();
    this.view.show(data.trees);
  }
}

class ForestPage {
  constructor(root) {
    this.root = root;
    this.kinds = []; // pretokens by the number that the server gave them in this epoch
    this.epoch = "";
    this.view = new ForestView(root.querySelector(".forest"), root.querySelector(".about"));
    this.player = new StepPlayer(root.querySelector(".player"), () => this.ask()); // so that the step is kept
    this.field = new TextField(root, {
      getLimit: () => this.data.max_bytes,
      onText: () => (this.problem("too long", ""), this.ask(0)),
      onTooLong: (error) => this.problem("too long", error.message),
      onProblem: (error) => this.problem("file", error.message),
      onNotes: () => this.drawNotes(),
      isKnown: (text) => text === this.data.example,
    });
    this.problems = {};
    root.querySelector(".choice").addEventListener("click", (event) => {
      const { height } = event.target.dataset;
      if (!height) return;
      this.heightBy = height;
      this.ask();
    });
    root.querySelector(".share").addEventListener("click", (event) => this.share(event.target));
    listenForDownloads(root, () => ({ ...this.data, file_name: `merge-tree-${this.data.tokenizer}` }));
  }

  /** Runs at the first mount and at each rerun of the page. */
  update(data) {
    const old = this.data;
    this.data = data;
    this.view.fitType();
    if (old?.revision === data.revision && old.url === data.url) return;
    this.heightBy ??= data.height_by;
    const kept = readStore(sessionStorage, STORE).text;
    if (!old && data.is_fresh && typeof kept === "string") this.field.show(kept);
    else if (!old) this.field.show(data.text);
    else if (old.url === data.url && old.text_revision !== data.text_revision) {
      this.field.show(data.text);
      this.heightBy = data.height_by;
    }
    this.ask(this.field.text === data.text ? data.step : 0);
  }

  /** One request is in flight at a time; the newest text wins. `step` is where the player then stands. */
  async ask(step) {
    if (step !== undefined) this.wantedStep = step;
    this.isStale = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isStale) {
      this.isStale = false;
      const step = this.wantedStep;
      this.wantedStep = undefined;
      const wanted = { text: this.field.text.toWellFormed(), height_by: this.heightBy, step: step ?? this.player.frame };
      try {
        this.show(await postJson(this.data.url, "draw", { ...wanted, epoch: this.epoch }), { ...wanted, step });
        this.problem("server", "");
      } catch (error) {
        this.epoch = "";
        this.problem("server", error.message);
      }
    }
    this.isAsking = false;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => writeStore(sessionStorage, STORE, { text: this.field.text }), SETTLE_MS);
  }

  /** The page is left: keep where the player stands. */
  leave() {
    const isMoved = this.player.isSettling;
    this.player.stop();
    if (isMoved) this.ask();
  }

  show(answer, { text, height_by, step }) {
    if (answer.epoch !== this.epoch) this.kinds = [];
    this.epoch = answer.epoch;
    for (const [number, kind] of Object.entries(answer.new)) this.kinds[number] = kind;
    const drawn = `${this.data.url} ${this.data.tokenizer} ${height_by} ${text}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.view.show(answer.pretokens.map((number) => this.kinds[number].svg));
    this.player.show(this.kinds, answer.pretokens.filter((number) => this.kinds[number].steps), step ?? this.player.frame);
    for (const button of this.root.querySelectorAll("[data-height]")) {
      button.setAttribute("aria-checked", String(button.dataset.height === height_by));
    }
    this.problem("difference", answer.problem);
    const limit = this.root.querySelector(".limit");
    limit.textContent = answer.limit;
    limit.hidden = !answer.limit;
    const counts = this.root.querySelector(".counts");
    const number = (n) => element("b", "", count(n));
    counts.replaceChildren(number(answer.n_tokens), answer.n_tokens === 1 ? " token, " : " tokens, ", number(answer.n_merges), answer.n_merges === 1 ? " merge" : " merges");
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  /** Copy a link that restores this view. */
  async share(button) {
    try {
      await copyLink(this.data.url, { text: this.field.text, step: this.player.frame, height_by: this.heightBy });
      this.problem("link", "");
      button.textContent = "Link copied";
      setTimeout(() => (button.textContent = "Copy link"), 2500);
    } catch (error) {
      this.problem("link", error.message);
    }
  }

  /** Say what is wrong, or that it is no longer, for one reason. */
  problem(reason, sentence) {
    if ((this.problems[reason] ?? "") === (sentence ?? "")) return;
    this.problems[reason] = sentence;
    this.drawNotes();
  }

  drawNotes() {
    const notes = Object.values(this.problems).filter(Boolean).map((sentence) => note(sentence, "error"));
    const undo = this.field.undoNote();
    this.root.querySelector(".notes").replaceChildren(...notes, ...(undo ? [undo] : []));
  }
}

function listenForDownloads(root, getData) {
  root.querySelector(".downloads").addEventListener("click", (event) => {
    const kind = event.target.dataset.picture, { tree_css, file_name } = getData();
    if (kind) downloadTrees(root.querySelector(".forest"), tree_css, kind, file_name);
  });
}
