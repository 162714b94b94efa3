// The trees of a text with the step player, and what is said about them: on Merge tree, and in a page saved from it.

import { element, find } from "../shared/element.js";
import { TreeView } from "../shared/tree_view.js";
import { count } from "../shared/wording.js";
import { fillWidth } from "./plain_trees.js";
import { Growth, StepPlayer } from "./step_player.js";

/** The pretokens by number, the new ones of this epoch, and the counts. @typedef {import("../shared/wire_types.d.ts").MergeTreesAnswer} Answer */
/** What is said about the trees. @typedef {Omit<Answer, "pretokens" | "new" | "epoch" | "revision" | "version">} Said */
/** @typedef {import("../shared/wire_types.d.ts").DrawnPretoken} Kind */

export class PlayedTrees {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    const home = find(root, ".trees"), growth = new Growth(home);
    this.view = new TreeView(home, find(root, ".about"), signal);
    this.view.onType = () => this.fillWidth();
    /** @type {Kind[]} the pretokens that are drawn */
    this.kinds = [];
    this.player = new StepPlayer(find(root, ".player"), signal, (moment) => growth.show(this.kinds.map(playedOf), moment));
    const resizing = new ResizeObserver(() => this.fillWidth());
    resizing.observe(home);
    signal.addEventListener("abort", () => resizing.disconnect());
  }

  /** Scale the trees with the page's text and the width of their line. */
  fit() {
    this.view.fitType();
    this.fillWidth();
  }

  fillWidth() {
    fillWidth(this.view.root, this.view.scale);
  }

  /** Draw the trees of each pretoken in order. @param {Kind[]} kinds */
  draw(kinds) {
    this.kinds = kinds;
    this.view.show(kinds.map((kind) => kind.svg));
    this.fillWidth();
  }

  /** Show the player's step, and what is said about the trees. @param {Said} said @param {number} step */
  play(said, step) {
    this.player.showPretokens(this.kinds.map(playedOf).filter((kind) => kind !== null), step);
    find(this.root, ".intro").textContent = said.intro;
    for (const [selector, sentence] of [[".limit", said.limit], [".reason", said.why]]) {
      find(this.root, selector).textContent = sentence;
      find(this.root, selector).hidden = !sentence;
    }
    const nTokens = said.n_tokens + said.n_inserted;
    find(this.root, ".counts").replaceChildren(element("b", "", count(nTokens)), nTokens === 1 ? " token" : " tokens", notDrawn(said.n_inserted), ...doneBy(said));
  }
}

/** A pretoken as the player shows it; null if it shows none. @param {Kind} kind */
const playedOf = (kind) => (kind.steps ? /** @type {import("./step_player.js").Played} */ (kind) : null);

/** Words on the tokens that cover no text; "" for none. @param {number} nInserted */
export function notDrawn(nInserted) {
  if (!nInserted) return "";
  return nInserted === 1 ? " (1 covers no text and is not drawn)" : ` (${count(nInserted)} cover no text and are not drawn)`;
}

/** Words on the tokenizer's steps; empty if it only looks tokens up. @param {Said} said */
function doneBy({ n_merges, n_tries, n_pieces, why }) {
  if (n_tries) return [", ", element("b", "", count(n_tries)), n_tries === 1 ? " try" : " tries"];
  if (n_pieces) return [" of ", element("b", "", count(n_pieces)), n_pieces === 1 ? " piece that fits" : " pieces that fit"];
  if (why && !n_merges) return [];
  return [", ", element("b", "", count(n_merges)), n_merges === 1 ? " merge" : " merges"];
}
