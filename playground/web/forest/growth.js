// Growth: a tree as it is after some merges of its pretoken. Joints that are not made yet are not shown, nor the
// lines to them; the classes are in the trees' own CSS, so a picture is saved as it is seen.

import { replaySpans } from "./replay.js";

const MARGIN_PX = 8;

/**
 * The bytes of each node, half-open, in the order in which nodes are drawn: trees left to right, in a tree children
 * first and from the right. `sizes` has for each tree how many nodes each subtree has.
 * @param {number[][]} sizes
 * @returns {[start: number, end: number][][]}
 */
export function spansOfNodes(sizes) {
  let before = 0;
  return sizes.map((tree) => {
    let end = (before += tree.filter((size) => size === 1).length);
    /** @type {{start: number, end: number, size: number}[]} */
    const waiting = []; // subtrees to the right that have no parent yet, the nearest last
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
 * After how many merges each joint is there: the one that makes its bytes, or all where none does, as for a token that
 * is taken whole; 0 for a leaf.
 * @param {number[][]} sizes
 * @param {import("./replay.js").Played} played
 */
export function mergesOfNodes(sizes, played) {
  const made = new Map(replaySpans(played).map((span, step) => [span.join(), step + 1]));
  return spansOfNodes(sizes).map((spans, tree) =>
    spans.map((span, i) => (sizes[tree][i] === 1 ? 0 : (made.get(span.join()) ?? played.steps.length))),
  );
}

/** The trees of a text, grown as far as the player is. */
export class Growth {
  /** @param {HTMLElement} root whose children are the pretokens */
  constructor(root) {
    this.root = root;
    /** @type {WeakMap<Element, number>} how many merges are shown of a pretoken */
    this.shown = new WeakMap();
  }

  /**
   * Show the pretokens as they are while number `at` of those that are played has `nDone` merges: those before it
   * whole, those after it as bytes. null: all whole.
   * @param {(import("./replay.js").Played | null)[]} pretokens
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

  /** Bring what is played into view, in its own box alone: the pretoken, or of one that is taller the last merge, or a byte. @param {Element} pretoken */
  follow(pretoken) {
    const room = this.root.getBoundingClientRect(), whole = pretoken.getBoundingClientRect();
    const part = whole.height > room.height ? (pretoken.querySelector(".made") ?? pretoken.querySelector(".node:not(.later)")) : null;
    const { top, bottom } = part?.getBoundingClientRect() ?? whole;
    if (top < room.top) this.root.scrollTop += top - room.top - MARGIN_PX;
    else if (bottom > room.bottom) this.root.scrollTop += bottom - room.bottom + MARGIN_PX;
  }

  /** @param {Element} pretoken @param {import("./replay.js").Played} played @param {number} nDone @param {boolean} isNow */
  grow(pretoken, played, nDone, isNow) {
    const wanted = isNow ? nDone + 0.5 : nDone; // the merge made last is marked only where the player is
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
