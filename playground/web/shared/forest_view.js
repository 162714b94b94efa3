// Merge trees that wrap like text: hovering marks a subtree, and the arrow keys walk from node to node. A node's element follows
// those of its subtree, children first; its `data-n` is the number of elements in the subtree, itself included.

import { countCommonEnds, element, joined } from "./element.js";
import { Light } from "./token_strip.js";
import { count } from "./wording.js";

const MAX_LINE_WIDTH = 300; // in CSS pixels; what is wider may wrap on a small screen

/** Trees inside `root`; `about` says what is marked. */
export class ForestView {
  /** @param {HTMLElement} root @param {HTMLElement} about @param {AbortSignal} signal ends it */
  constructor(root, about, signal) {
    this.root = root;
    this.about = about;
    this.hint = "";
    this.scale = 1;
    this.onType = () => {}; // the page's type has another size
    /** @type {SVGGElement | null} */
    this.marked = null;
    this.light = new Light("lit");
    this.top = new Light("top");
    /** @type {string[]} what is drawn, a string for each child of the root */
    this.drawn = [];
    root.replaceChildren();
    this.watchType(signal);
    root.addEventListener("pointerover", (event) => this.mark(nodeAt(event.target)), { signal });
    root.addEventListener("pointerleave", () => this.mark(null), { signal });
    root.addEventListener("keydown", (event) => this.walk(event), { signal });
  }

  /** Show the trees of each pretoken, as SVG made and escaped by the server. @param {string[]} pretokens */
  show(pretokens) {
    this.mark(null);
    const canWalk = pretokens.some((svg) => svg.includes('class="node'));
    this.hint = canWalk ? "Point at a joint, or click the trees and use the arrow keys." : "There is no text yet, so there is no tree. Type a word.";
    this.about.textContent = this.hint;
    this.about.classList.add("hint");
    this.about.hidden = !canWalk && pretokens.length > 0;
    // Pretokens before and after an edit stay as they are drawn: 2,000 characters are 15,000 elements.
    const [nBefore, nAfter] = countCommonEnds(this.drawn, pretokens, (one, other) => one === other);
    for (const pretoken of [...this.root.children].slice(nBefore, this.drawn.length - nAfter)) pretoken.remove();
    const template = document.createElement("template");
    template.innerHTML = pretokens.slice(nBefore, pretokens.length - nAfter).map((svg) => `<span class="pretoken">${svg}</span>`).join("");
    for (const pretoken of template.content.children) reserveRoom(/** @type {HTMLElement} */ (pretoken));
    this.root.insertBefore(template.content, this.root.children[nBefore] ?? null);
    this.drawn = pretokens;
  }

  /** Trees grow with the page's type, which is larger on a projector. */
  fitType() {
    this.scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.root.style.setProperty("--scale", String(this.scale));
  }

  /** The page draws its parts before its style sheet says how large the type is now. @param {AbortSignal} signal */
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

  /** Mark a node with all below it, and say what it is. @param {SVGGElement | null} node */
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

/** Up and down lead through pieces that are no trees, as left and right do. @param {SVGGElement} node @param {SVGGElement[]} roots @param {string} key */
const besideWay = (node, roots, key) =>
  node.classList.contains("way") ? sibling(node, roots, key === "ArrowUp" || key === "ArrowLeft" ? -1 : 1) : undefined;

/** @param {EventTarget | null} target @returns {SVGGElement | null} */
const nodeAt = (target) => (target instanceof Element ? target.closest(".node") : null);

/** A node in words: its text, its rank and what it is made of. @param {SVGGElement} node */
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

/** A pretoken that is out of view need not be laid out, where its size is known. @param {HTMLElement} pretoken */
function reserveRoom(pretoken) {
  const sizes = [...pretoken.children].map((tree) => [Number(tree.getAttribute("width")), Number(tree.getAttribute("height"))]);
  const width = sizes.reduce((sum, [own]) => sum + own, 0), height = Math.max(...sizes.map(([, own]) => own));
  if (width > MAX_LINE_WIDTH) pretoken.style.contentVisibility = "visible"; // it wraps: its height is not known
  else pretoken.style.containIntrinsicSize = `calc(${width}px * var(--scale)) calc(${height}px * var(--scale))`;
}

/**
 * What of an element is used.
 * @typedef {Pick<SVGGElement, "dataset" | "previousElementSibling" | "nextElementSibling">} Node
 */

/** @param {Node} node */
const size = (node) => Number(node.dataset.n);
/** @param {Node} node */
const before = (node) => /** @type {Node | null} */ (node.previousElementSibling);
/** @param {Node} node */
const after = (node) => /** @type {Node | null} */ (node.nextElementSibling);

/** A node and those drawn before it, its children first. @template {Node} N @param {N} node @returns {N[]} */
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

/** The node that a node is a part of. @template {Node} N @param {N} node @returns {N | null} */
export function parent(node) {
  let n = size(node);
  for (let at = after(node); at?.dataset.n; at = after(at)) {
    n += 1;
    if (size(at) >= n) return /** @type {N} */ (at);
  }
  return null;
}

/**
 * The node beside a node, in its own tree or the next one; `roots` are the whole trees in their order.
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
 * Where a key leads from a node; undefined where it leads nowhere.
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
