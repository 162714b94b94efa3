// Tree walk: from node to node of drawn merge trees. A node's element stands after those of its subtree, children
// first, and its `data-n` says how many they are, itself included; a whole tree is the child of an `svg`.

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
