// Merge trees that wrap like text. The pointer highlights a subtree, and arrow keys move from node to node. The
// elements of a subtree come before its root's element, whose `data-n` is their number, itself included.

import { countCommonEnds, element, joined } from "./element.js";
import { Light } from "./token_strip.js";
import { count } from "./wording.js";

const MAX_LINE_WIDTH = 300; // in CSS pixels; a wider tree may wrap on a small screen

/** Shows trees inside `root`; `about` describes the highlighted node. */
export class TreeView {
  /** @param {HTMLElement} root @param {HTMLElement} about @param {AbortSignal} signal ends it */
  constructor(root, about, signal) {
    this.root = root;
    this.about = about;
    this.hint = "";
    this.scale = 1;
    this.onType = () => {}; // called when the size of the page's text changes
    /** @type {SVGGElement | null} */
    this.marked = null;
    this.light = new Light("lit");
    this.top = new Light("top");
    /** @type {string[]} what is drawn, a string for each child of the root */
    this.drawn = [];
    root.replaceChildren();
    this.watchType(signal);
    root.addEventListener("pointerover", (event) => this.mark(nodeAt(event.target)), { signal });
    // What was tapped stays described after the finger is lifted.
    root.addEventListener("pointerleave", (event) => event.pointerType === "touch" || this.mark(null), { signal });
    root.addEventListener("keydown", (event) => this.walk(event), { signal });
  }

  /**
   * Show the trees of each pretoken, as SVG that the server has escaped; `none` is said where there is no tree.
   * @param {string[]} pretokens
   */
  show(pretokens, none = "There is no text yet, so there is no tree. Type a word.") {
    this.mark(null);
    const canWalk = pretokens.some((svg) => svg.includes('class="node'));
    const hasRanks = pretokens.some((svg) => svg.includes("data-rank="));
    const walking = `${hasRanks ? "The number in a box is the rank of its merge. " : ""}Point at a box, or click the trees and use the arrow keys.`;
    this.hint = canWalk ? walking : none;
    this.about.textContent = this.hint;
    this.about.classList.add("hint");
    this.about.hidden = !canWalk && pretokens.length > 0;
    // Pretokens before and after an edit keep their elements: 2,000 characters have 15,000.
    const [nBefore, nAfter] = countCommonEnds(this.drawn, pretokens, (one, other) => one === other);
    for (const pretoken of [...this.root.children].slice(nBefore, this.drawn.length - nAfter)) pretoken.remove();
    const template = document.createElement("template");
    template.innerHTML = pretokens.slice(nBefore, pretokens.length - nAfter).map((svg) => `<span class="pretoken">${svg}</span>`).join("");
    for (const pretoken of template.content.children) reserveRoom(/** @type {HTMLElement} */ (pretoken));
    this.root.insertBefore(template.content, this.root.children[nBefore] ?? null);
    this.drawn = pretokens;
  }

  /** Scale the trees with the page's text, which is larger on a projector. */
  fitType() {
    this.scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.root.style.setProperty("--scale", String(this.scale));
  }

  /** Scale again when style sheets or settings change the size of the page's text. @param {AbortSignal} signal */
  watchType(signal) {
    const gauge = element("i");
    gauge.style.cssText = "position: absolute; visibility: hidden; width: 1rem";
    this.about.after(gauge);
    const watch = new ResizeObserver(() => {
      this.fitType();
      this.onType();
    });
    watch.observe(gauge);
    signal.addEventListener("abort", () => watch.disconnect(), { once: true });
  }

  /** Highlight a node's subtree and describe it. @param {SVGGElement | null} node */
  mark(node) {
    if (node === this.marked) return;
    this.marked = node;
    this.light.show(node ? subtree(node) : []);
    this.top.show(node ? [node] : []);
    this.about.replaceChildren(...(node ? describe(node) : [this.hint]));
    this.about.classList.toggle("hint", !node);
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const move = MOVES[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const roots = [.../** @type {NodeListOf<SVGGElement>} */ (this.root.querySelectorAll(".node.root"))];
    const next = this.marked ? (move(this.marked, roots) ?? besideWay(this.marked, roots, event.key)) : roots[0];
    if (!next) return;
    this.mark(next);
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** The roots that left and right, or up and down between single tokens, lead to. @param {SVGGElement} node @param {SVGGElement[]} roots @param {string} key */
const besideWay = (node, roots, key) =>
  node.classList.contains("way") ? sibling(node, roots, key === "ArrowUp" || key === "ArrowLeft" ? -1 : 1) : undefined;

/** @param {EventTarget | null} target @returns {SVGGElement | null} */
const nodeAt = (target) => (target instanceof Element ? target.closest(".node") : null);

/** Describe a node: its text, rank and parts. @param {SVGGElement} node */
function describe(node) {
  const { text, rank, step, said } = node.dataset;
  if (said) return [said];
  const parts = joined(children(node).map((child) => child.dataset.text ?? ""));
  const name = ["“", ...joined([text ?? ""]), rank === undefined ? "”" : `”  rank ${count(Number(rank))}`];
  if (!parts.length) return [...name, rank === undefined ? "  not merged from others" : "  one byte"];
  if (node.classList.contains("whole")) return [...name, "  is in the vocabulary, but no merge makes it from ", ...parts];
  const first = Number(step) === 1 ? "the first merge of this token" : `merge ${step} of this token`;
  return [...name, "  =  ", ...parts, `  (${first})`];
}

/** Let the browser skip the layout of a pretoken out of view, if its size is known. @param {HTMLElement} pretoken */
function reserveRoom(pretoken) {
  const sizes = [...pretoken.children].map((tree) => [Number(tree.getAttribute("width")), Number(tree.getAttribute("height"))]);
  const width = sizes.reduce((sum, [own]) => sum + own, 0), height = Math.max(...sizes.map(([, own]) => own));
  if (width > MAX_LINE_WIDTH) pretoken.style.contentVisibility = "visible"; // it wraps, so its height is unknown
  else pretoken.style.containIntrinsicSize = `calc(${width}px * var(--scale)) calc(${height}px * var(--scale))`;
}

/**
 * The used properties of an element.
 * @typedef {Pick<SVGGElement, "dataset" | "previousElementSibling" | "nextElementSibling">} Node
 */

/** @param {Node} node */
const size = (node) => Number(node.dataset.n);
/** @param {Node} node */
const before = (node) => /** @type {Node | null} */ (node.previousElementSibling);
/** @param {Node} node */
const after = (node) => /** @type {Node | null} */ (node.nextElementSibling);

/** The elements of a node's subtree, the node last. @template {Node} N @param {N} node @returns {N[]} */
export function subtree(node) {
  const nodes = [];
  /** @type {Node | null} */
  let at = node;
  for (let n = size(node); n > 0 && at; n--, at = before(at)) nodes.push(at);
  return /** @type {N[]} */ (nodes);
}

/** The parts of a node, left to right. @template {Node} N @param {N} node @returns {N[]} */
export function children(node) {
  const found = [];
  let left = size(node) - 1, at = before(node);
  while (left > 0 && at) {
    found.push(at);
    left -= size(at);
    for (let n = size(at); n > 0 && at; n--) at = before(at);
  }
  return /** @type {N[]} */ (found);
}

/** The node that contains a node as a part. @template {Node} N @param {N} node @returns {N | null} */
export function parent(node) {
  let n = size(node);
  for (let at = after(node); at?.dataset.n; at = after(at)) {
    n += 1;
    if (size(at) >= n) return /** @type {N} */ (at);
  }
  return null;
}

/**
 * The neighbour of a node on the same level, in its own tree or the next one; `roots` are all trees in order.
 * @template {Node} N
 * @param {N} node
 * @param {N[]} roots
 * @param {1 | -1} by
 * @returns {N | undefined}
 */
export function sibling(node, roots, by) {
  const above = parent(node);
  if (!above) return roots[roots.indexOf(node) + by];
  const siblings = children(above);
  return siblings[siblings.indexOf(node) + by] ?? sibling(above, roots, by);
}

/**
 * The node that each key leads to; undefined if there is none.
 * @type {Record<string, <N extends Node>(node: N, roots: N[]) => N | null | undefined>}
 */
export const MOVES = {
  ArrowUp: (node) => parent(node),
  ArrowDown: (node) => children(node)[0],
  ArrowLeft: (node, roots) => sibling(node, roots, -1),
  ArrowRight: (node, roots) => sibling(node, roots, 1),
  Home: (_node, roots) => roots[0],
  End: (_node, roots) => roots.at(-1),
};
