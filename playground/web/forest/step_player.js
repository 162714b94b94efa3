// Step player: the encoder's merges one at a time, with every pair's rank and why one of them is next.

import { dataOf, element, find } from "../shared/element.js";
import { count } from "../shared/numbers.js";
import { showIcon } from "../shared/icons.js";
import { shorten } from "../shared/shown_text.js";
import { explain, Frames, replay } from "./replay.js";

const FRAME_MS = 900;
const SETTLE_MS = 500;
const STRIP_PIECES = 12;

/** @typedef {"first" | "back" | "play" | "on" | "last"} Action */
/** @type {Record<string, Action>} */
const ACTION_OF_KEY = { Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "on", " ": "play" };

export class StepPlayer {
  /**
   * `onSettle()` runs when the player has stood still for a moment; `onPlace(moment)` at each frame, with null as long
   * as nobody has played.
   * @param {HTMLElement} root @param {AbortSignal} signal
   * @param {{onSettle: () => void, onPlace: (moment: {at: number, nDone: number} | null) => void}} how
   */
  constructor(root, signal, { onSettle, onPlace }) {
    this.root = root;
    this.onSettle = onSettle;
    this.onPlace = onPlace;
    this.isPlayed = false;
    this.frame = 0;
    this.nMoves = 0; // by the visitor
    this.frames = new Frames([]);
    this.slider = find(root, "input", HTMLInputElement);
    this.playButton = find(root, ".play");
    const onSlide = () => {
      this.pause();
      this.go(Number(this.slider.value));
    };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const action = ACTION_OF_KEY[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " && event.target instanceof Element && event.target.closest("button:not(.play)")) return;
      event.preventDefault();
      this.act(action);
    };
    this.slider.addEventListener("input", onSlide, { signal });
    root.addEventListener("click", (event) => this.act(/** @type {Action | undefined} */ (dataOf(event, "go"))), { signal });
    root.addEventListener("keydown", onKey, { signal });
  }

  /** Show these pretokens as they are at a frame. @param {import("./replay.js").Played[]} pretokens @param {number} frame */
  show(pretokens, frame) {
    this.frames = new Frames(pretokens);
    this.pause();
    this.slider.max = String(Math.max(this.frames.length - 1, 0));
    this.root.hidden = this.frames.length === 0;
    this.isPlayed = frame > 0;
    if (this.frames.length) this.place(frame);
    else this.onPlace(null);
  }

  /** @param {Action | undefined} action */
  act(action) {
    if (!action) return;
    if (action === "play") {
      if (this.timer) this.pause();
      else this.play();
      return;
    }
    this.pause();
    this.go({ first: 0, back: this.frame - 1, on: this.frame + 1, last: this.frames.length - 1 }[action]);
  }

  play() {
    if (this.frame === this.frames.length - 1) this.go(0);
    this.timer = setInterval(() => {
      this.go(this.frame + 1);
      if (this.frame === this.frames.length - 1) this.pause();
    }, FRAME_MS);
    showIcon(this.playButton, "pause", "Pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    showIcon(this.playButton, "play", "Play");
  }

  /** Go to a frame, and tell when one has stood there for a moment. @param {number} frame */
  go(frame) {
    this.nMoves += 1;
    this.isPlayed = true;
    this.place(frame);
    this.settling = setTimeout(() => {
      if (this.timer) return;
      this.settling = undefined;
      this.onSettle();
    }, SETTLE_MS);
  }

  /** Whether the player was moved and has not yet stood still. */
  get isSettling() {
    return this.settling !== undefined;
  }

  /** Stand still for good. */
  stop() {
    this.pause();
    clearTimeout(this.settling);
  }

  // ---- drawing

  /** @param {number} frame */
  place(frame) {
    clearTimeout(this.settling);
    this.settling = undefined;
    this.frame = Math.min(Math.max(frame, 0), this.frames.length - 1);
    this.slider.value = String(this.frame);
    const { at, played, nDone, nMerged } = this.frames.at(this.frame);
    this.drawStrip(at);
    find(this.root, ".parts").replaceChildren(...makeParts(played, nDone));
    find(this.root, ".where").textContent = `${count(nMerged)} of ${count(this.frames.nMerges)} merges done`;
    find(this.root, ".why").textContent = this.explain(at, played, nDone);
    this.onPlace(this.isPlayed ? { at, nDone } : null);
  }

  /** The pretokens around the one that is played. @param {number} at */
  drawStrip(at) {
    const { pretokens } = this.frames;
    const first = Math.max(0, Math.min(at - STRIP_PIECES / 2, pretokens.length - STRIP_PIECES));
    const seen = pretokens.slice(first, first + STRIP_PIECES);
    const pieces = seen.map(({ text }, i) => {
      const state = first + i < at ? "done" : first + i === at ? "now" : "later";
      return element("span", `piece ${state}`, shorten(text, 40));
    });
    const nAfter = pretokens.length - first - seen.length;
    if (first) pieces.unshift(element("span", "more", `${first} before`));
    if (nAfter) pieces.push(element("span", "more", `${nAfter} more`));
    find(this.root, ".strip").replaceChildren(...pieces);
  }

  /** @param {number} at @param {import("./replay.js").Played} played @param {number} nDone */
  explain(at, played, nDone) {
    const { length } = this.frames.pretokens, isLast = at === length - 1, isOver = nDone === played.steps.length;
    const cut = length > 1 && !(isOver && isLast) ? " Nothing merges across a dashed line: there the text was cut before merging." : "";
    const then = isOver ? (isLast ? " The text is encoded." : " The next pretoken follows.") : "";
    return `${explain(played, nDone)}${then}${cut}`;
  }
}

/** The parts after some merges, with the rank of each pair between them. @param {import("./replay.js").Played} played @param {number} nDone */
function makeParts(played, nDone) {
  const { parts, pairRanks } = replay(played, nDone), next = played.steps[nDone];
  const made = nDone ? played.steps[nDone - 1][0] : -1;
  return parts.flatMap((part, i) => {
    const isMerging = next && (i === next[0] || i === next[0] + 1);
    const chip = element("span", `part${isMerging ? " merging" : ""}${i === made ? " made" : ""}`, part);
    if (!next && !played.is_whole) chip.append(element("small", "", `id ${played.ids[i]}`));
    return i === parts.length - 1 ? [chip] : [chip, makePair(pairRanks[i], next !== undefined && i === next[0])];
  });
}

/** @param {number | null} rank @param {boolean} isChosen */
function makePair(rank, isChosen) {
  const kinds = `pair${rank === null ? "" : " possible"}${isChosen ? " chosen" : ""}`;
  const pair = element("span", kinds, rank === null ? "–" : String(rank));
  pair.title = rank === null ? "these two together are not in the vocabulary" : `merging these two has rank ${rank}`;
  return pair;
}
