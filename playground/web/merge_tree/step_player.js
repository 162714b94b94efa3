// The step player: the encoder's merges one at a time, with the rank of each pair, and the growing trees. Joints not
// made yet are hidden by classes in the trees' own CSS, so that a saved picture shows what is on screen.

import { element, find } from "../shared/element.js";
import { Player } from "../shared/player.js";
import { count, shorten } from "../shared/wording.js";

const STRIP_PIECES = 12;

export class StepPlayer extends Player {
  /**
   * `onPlace(moment)` is called at each frame, with null where there is nothing to play.
   * @param {HTMLElement} root @param {AbortSignal} signal @param {(moment: {at: number, nDone: number} | null) => void} onPlace
   */
  constructor(root, signal, onPlace) {
    super(root, signal, () => this.draw());
    this.onPlace = onPlace;
    this.frames = new Frames([]);
  }

  /** Show these pretokens at a frame. @param {Played[]} pretokens @param {number} frame */
  showPretokens(pretokens, frame) {
    this.frames = new Frames(pretokens);
    this.root.toggleAttribute("data-idle", this.frames.length === 0);
    this.show(this.frames.length, frame);
    if (!this.frames.length) this.onPlace(null);
  }

  // ---- drawing

  draw() {
    const { at, played, nDone, nMerged } = this.frames.at(this.frame);
    this.drawStrip(at);
    find(this.root, ".parts").replaceChildren(...makeParts(played, nDone));
    find(this.root, ".where").textContent = `${count(nMerged)} of ${count(this.frames.nMerges)} merges done`;
    find(this.root, ".why").textContent = this.explain(at, played, nDone);
    this.onPlace({ at, nDone });
  }

  /** Draw the pretokens around the current one. @param {number} at */
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
    find(this.root, ".strip").replaceChildren(...(pretokens.length > 1 ? pieces : []));
  }

  /** @param {number} at @param {Played} played @param {number} nDone */
  explain(at, played, nDone) {
    const { length } = this.frames.pretokens, isLast = at === length - 1, isOver = nDone === played.steps.length;
    const cut = length > 1 && !(isOver && isLast) ? " Nothing merges across a dashed line, where the split pattern cut the text." : "";
    const then = isOver ? (isLast ? " The text is encoded." : " Next is the following pretoken.") : "";
    return `${explain(played, nDone)}${then}${cut}`;
  }
}

/** Draw the parts after some merges, with the rank of each pair between them. @param {Played} played @param {number} nDone */
export function makeParts(played, nDone) {
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
  if (rank !== null) pair.prepend(element("small", "", "rank"));
  pair.title = rank === null ? "this pair is not in the vocabulary" : `this pair has rank ${rank}`;
  return pair;
}

/**
 * A pretoken from the server: its bytes as leaves, the rank of each pair of neighbours (null if it is not in the
 * vocabulary), and its merges: position, rank, the ranks to the left and right of it afterwards, text.
 * @typedef {Omit<Required<import("../shared/wire_types.d.ts").DrawnPretoken>, "svg">} Played
 */

/**
 * The parts of a pretoken and the ranks of its pairs after some merges.
 * @param {Played} played
 * @param {number} nSteps
 */
export function replay(played, nSteps) {
  const parts = [...played.leaves], pairRanks = [...played.pair_ranks];
  for (const [position, , leftRank, rightRank, text] of played.steps.slice(0, nSteps)) {
    parts.splice(position, 2, text);
    pairRanks.splice(position, 1);
    if (position > 0) pairRanks[position - 1] = leftRank;
    if (position < pairRanks.length) pairRanks[position] = rightRank;
  }
  return { parts, pairRanks };
}

/** The half-open byte ranges of the parts that each merge makes. @param {Played} played @returns {[start: number, end: number][]} */
function replaySpans({ leaves, steps }) {
  const starts = leaves.map((_, i) => i);
  return steps.map(([position]) => {
    starts.splice(position + 1, 1);
    return [starts[position], starts[position + 1] ?? leaves.length];
  });
}

/**
 * Explain why the next pair merges, or why none does.
 * @param {Played} played
 * @param {number} nDone
 */
export function explain(played, nDone) {
  const { parts, pairRanks } = replay(played, nDone), next = played.steps[nDone];
  if (!next) {
    if (played.is_whole) return `“${played.text}” is in the vocabulary as a whole, so the encoder takes it without merging: id ${played.ids[0]}.`;
    if (parts.length === 1) return `“${played.text}” is one token: id ${played.ids[0]}.`;
    return `None of the remaining pairs is in the vocabulary: “${played.text}” is ${parts.length} tokens.`;
  }
  const [position, rank] = next, ranks = pairRanks.filter((each) => each !== null);
  const isTie = ranks.filter((each) => each === rank).length > 1;
  const reason =
    ranks.length === 1
      ? `It is the only pair that is in the vocabulary, at rank ${count(rank)}.`
      : `${ranks.length} of ${pairRanks.length} pairs are in the vocabulary, and ${count(rank)} is the lowest rank${isTie ? "; of pairs with equal rank, the leftmost merges" : ""}.`;
  return `Next: “${parts[position]}” + “${parts[position + 1]}”. ${reason}`;
}

/** The frames of a text: for each pretoken one before every merge, and one when no pair is left. */
export class Frames {
  /** @param {Played[]} pretokens */
  constructor(pretokens) {
    this.pretokens = pretokens;
    /** @type {number[]} the first frame of each pretoken */
    this.firstFrame = [];
    /** @type {number[]} how many merges come before each pretoken */
    this.firstMerge = [];
    this.length = this.nMerges = 0;
    for (const { steps } of pretokens) {
      this.firstFrame.push(this.length);
      this.firstMerge.push(this.nMerges);
      this.length += steps.length + 1;
      this.nMerges += steps.length;
    }
  }

  /** The pretoken that a frame shows, and the number of its merges done. @param {number} frame */
  at(frame) {
    let at = this.firstFrame.length - 1;
    while (at > 0 && this.firstFrame[at] > frame) at -= 1;
    const nDone = frame - this.firstFrame[at];
    return { at, played: this.pretokens[at], nDone, nMerged: this.firstMerge[at] + nDone };
  }
}

const MARGIN_PX = 8;

/**
 * The half-open byte ranges of nodes, in drawing order: trees from left to right, in a tree children first and from
 * the right. `sizes` has the number of nodes in each subtree, for each tree.
 * @param {number[][]} sizes
 * @returns {[start: number, end: number][][]}
 */
export function spansOfNodes(sizes) {
  let before = 0;
  return sizes.map((tree) => {
    let end = (before += tree.filter((size) => size === 1).length);
    /** @type {{start: number, end: number, size: number}[]} */
    const waiting = []; // subtrees to the right without a parent so far, the nearest last
    return tree.map((size) => {
      const node = { start: end - 1, end, size };
      if (size === 1) end -= 1;
      for (let left = size - 1, isFirst = true; left > 0; isFirst = false) {
        const child = /** @type {typeof node} */ (waiting.pop());
        left -= child.size;
        if (isFirst) node.start = child.start;
        node.end = child.end;
      }
      waiting.push(node);
      return [node.start, node.end];
    });
  });
}

/**
 * The number of merges after which each joint exists: that of the merge which makes its bytes, or all if none does,
 * as for a token taken whole; 0 for a leaf.
 * @param {number[][]} sizes
 * @param {Played} played
 */
export function mergesOfNodes(sizes, played) {
  const made = new Map(replaySpans(played).map((span, step) => [span.join(), step + 1]));
  return spansOfNodes(sizes).map((spans, tree) =>
    spans.map((span, i) => (sizes[tree][i] === 1 ? 0 : (made.get(span.join()) ?? played.steps.length))),
  );
}

/** The trees of a text, grown up to the player's frame. */
export class Growth {
  /** @param {HTMLElement} root whose children are the pretokens */
  constructor(root) {
    this.root = root;
    /** @type {WeakMap<Element, number>} how many merges are shown of a pretoken */
    this.shown = new WeakMap();
  }

  /**
   * Show the pretokens while pretoken `at` has `nDone` merges: those before it complete, those after it as bytes.
   * Null shows all complete.
   * @param {(Played | null)[]} pretokens
   * @param {{at: number, nDone: number} | null} moment
   */
  show(pretokens, moment) {
    const elements = this.root.children;
    let n = -1;
    pretokens.forEach((played, i) => {
      if (!played || !elements[i]) return;
      n += 1;
      const nDone = !moment || n < moment.at ? played.steps.length : n === moment.at ? moment.nDone : 0;
      const isNow = moment !== null && n === moment.at;
      this.grow(elements[i], played, nDone, isNow);
      if (isNow) this.follow(elements[i]);
    });
  }

  /** Scroll to the current pretoken inside its own box; if it is taller, to the last merge or a byte. @param {Element} pretoken */
  follow(pretoken) {
    const room = this.root.getBoundingClientRect(), whole = pretoken.getBoundingClientRect();
    const part = whole.height > room.height ? (pretoken.querySelector(".made") ?? pretoken.querySelector(".node:not(.later)")) : null;
    const { top, bottom } = part?.getBoundingClientRect() ?? whole;
    if (top < room.top) this.root.scrollTop += top - room.top - MARGIN_PX;
    else if (bottom > room.bottom) this.root.scrollTop += bottom - room.bottom + MARGIN_PX;
  }

  /** @param {Element} pretoken @param {Played} played @param {number} nDone @param {boolean} isNow */
  grow(pretoken, played, nDone, isNow) {
    const wanted = isNow ? nDone + 0.5 : nDone; // the latest merge is marked only in the current pretoken
    if ((this.shown.get(pretoken) ?? played.steps.length) === wanted) return;
    this.shown.set(pretoken, wanted);
    const trees = [...pretoken.children].map((tree) => /** @type {SVGGElement[]} */ ([...tree.querySelectorAll(".node")]));
    const sizes = trees.map((nodes) => nodes.map((node) => Number(node.dataset.n)));
    const merges = mergesOfNodes(sizes, played);
    trees.forEach((nodes, tree) => {
      /** @type {number[]} */
      const waiting = [];
      nodes.forEach((node, i) => {
        const isThere = merges[tree][i] <= nDone;
        node.classList.toggle("later", !isThere);
        node.classList.toggle("made", isNow && nDone > 0 && sizes[tree][i] > 1 && merges[tree][i] === nDone);
        for (let left = sizes[tree][i] - 1; left > 0; ) {
          const child = /** @type {number} */ (waiting.pop());
          left -= sizes[tree][child];
          nodes[child].classList.toggle("loose", !isThere);
        }
        waiting.push(i);
      });
      pretoken.children[tree].classList.toggle("growing", Math.max(...merges[tree]) > nDone); // it has no id yet
    });
  }
}
