// The trees of a word grow with the run: a joint appears with the step that makes its token.

import { spansOfNodes } from "../merge_tree/step_player.js";

/**
 * Return a function that shows the trees below `root` after a step.
 * @param {HTMLElement} root
 * @param {number[]} leaves the bytes of each leaf of the trees
 * @param {import("./playing.js").Tokens} tokens those that the word has after each step
 * @returns {(k: number) => void}
 */
export function growTrees(root, leaves, tokens) {
  const trees = [...root.querySelectorAll("svg.tree")].map((tree) => /** @type {SVGGElement[]} */ ([...tree.querySelectorAll(".node")]));
  const sizes = trees.map((nodes) => nodes.map((node) => Number(node.dataset.n))), steps = stepsOfNodes(sizes, leaves, tokens);
  return (k) => {
    trees.forEach((nodes, tree) => {
      /** @type {number[]} */
      const waiting = [];
      nodes.forEach((node, i) => {
        const isThere = steps[tree][i] <= k;
        node.classList.toggle("later", !isThere);
        node.classList.toggle("made", k > 0 && steps[tree][i] === k);
        for (let left = sizes[tree][i] - 1; left > 0; ) {
          const child = /** @type {number} */ (waiting.pop());
          left -= sizes[tree][child];
          nodes[child].classList.toggle("loose", !isThere);
        }
        waiting.push(i);
      });
      nodes[0]?.closest("svg")?.classList.toggle("growing", Math.max(...steps[tree]) > k); // it has no id yet
    });
  };
}

/**
 * The step from which on each node is there: that which makes a token of its bytes, or 0 for a leaf and for what is
 * inside a first token.
 * @param {number[][]} sizes the nodes of each subtree, in drawing order @param {number[]} leaves @param {import("./playing.js").Tokens} tokens
 */
export function stepsOfNodes(sizes, leaves, tokens) {
  const starts = [0];
  for (const size of leaves) starts.push(starts[starts.length - 1] + size);
  /** @type {Map<string, number>} */
  const made = new Map(tokens.made.map((step, i) => [`${tokens.start[i]} ${tokens.end[i]}`, step]));
  return spansOfNodes(sizes).map((spans) => spans.map(([first, last]) => made.get(`${starts[first]} ${starts[last]}`) ?? 0));
}
