import assert from "node:assert/strict";
import { test } from "node:test";
import { mergesOfNodes, spansOfNodes } from "./growth.js";

/** @typedef {{n: number, start: number, end: number, children: Tree[]}} Tree */

/** A pretoken that is merged at random, and the trees that are drawn of it. @param {number} nBytes @param {(limit: number) => number} draw */
function merged(nBytes, draw) {
  /** @type {Tree[]} */
  const parts = Array.from({ length: nBytes }, (_, i) => ({ n: 1, start: i, end: i + 1, children: [] }));
  /** @type {any[]} */
  const steps = [];
  const spans = [];
  while (parts.length > 1 && draw(12)) {
    const position = draw(parts.length - 1), [left, right] = parts.slice(position, position + 2);
    const made = { n: left.n + right.n + 1, start: left.start, end: right.end, children: [left, right] };
    parts.splice(position, 2, made);
    steps.push([position, 300 + steps.length, null, null, ""]);
    spans.push(`${made.start},${made.end}`);
  }
  return { parts, spans, played: /** @type {any} */ ({ leaves: Array(nBytes).fill("x"), steps }) };
}

/** The nodes of a tree as they are drawn: children first, from the right. @param {Tree} tree @returns {Tree[]} */
const drawn = (tree) => [...tree.children.toReversed().flatMap(drawn), tree];

test("each joint is there from the merge that makes it on", () => {
  let seed = 11;
  const draw = (/** @type {number} */ limit) => (seed = (seed * 48271) % 2147483647) % limit;
  for (let round = 0; round < 60; round++) {
    const { parts, spans, played } = merged(1 + draw(9), draw), trees = parts.map(drawn);
    const sizes = trees.map((nodes) => nodes.map(({ n }) => n));
    assert.deepEqual(spansOfNodes(sizes), trees.map((nodes) => nodes.map(({ start, end }) => [start, end])));
    const merges = mergesOfNodes(sizes, played);
    trees.forEach((nodes, t) => nodes.forEach(({ n, start, end }, i) => {
      assert.equal(merges[t][i], n === 1 ? 0 : spans.indexOf(`${start},${end}`) + 1);
    }));
  }
});

test("a token that is taken whole comes last", () => {
  const played = /** @type {any} */ ({ leaves: ["a", "b", "c"], steps: [[0, 300, null, null, "ab"]] });
  assert.deepEqual(mergesOfNodes([[1, 1, 1, 3, 5]], played), [[0, 0, 0, 1, 1]]);
});
