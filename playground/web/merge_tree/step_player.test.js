import assert from "node:assert/strict";
import { test } from "node:test";
import { explain, Frames, mergesOfNodes, replay, spansOfNodes } from "./step_player.js";

/** " the" in GPT-2: · + t (256), h + e (258), ·t + he (262). @type {import("./step_player.js").Played} */
const THE = {
  text: "·the", leaves: ["·", "t", "h", "e"], pair_ranks: [256, 400, 258], ids: [262], is_whole: false,
  steps: [[0, 256, null, null, "·t"], [1, 258, 262, null, "he"], [0, 262, null, null, "·the"]],
};
/** @type {import("./step_player.js").Played} */
const XYZ = { text: "xyz", leaves: ["x", "y", "z"], pair_ranks: [null, null], ids: [87, 88, 89], is_whole: false, steps: [] };

test("merges join two parts and change the neighbouring ranks", () => {
  assert.deepEqual(replay(THE, 0), { parts: ["·", "t", "h", "e"], pairRanks: [256, 400, 258] });
  assert.deepEqual(replay(THE, 1), { parts: ["·t", "h", "e"], pairRanks: [null, 258] });
  assert.deepEqual(replay(THE, 2), { parts: ["·t", "he"], pairRanks: [262] });
  assert.deepEqual(replay(THE, 3), { parts: ["·the"], pairRanks: [] });
  assert.deepEqual(THE.leaves.length, 4, "what the server said is not changed");
});

test("the next merge is explained by its rank among the remaining pairs", () => {
  assert.equal(explain(THE, 0), "Next: “·” + “t”. 3 of 3 pairs are in the vocabulary, and 256 is the lowest rank.");
  assert.equal(explain(THE, 2), "Next: “·t” + “he”. It is the only pair that is in the vocabulary, at rank 262.");
  const tie = { ...THE, pair_ranks: [256, 400, 256] };
  assert.match(explain(tie, 0), /lowest rank; of pairs with equal rank, the leftmost merges\.$/);
});

test("the end is explained when no pair is left", () => {
  assert.equal(explain(THE, 3), "“·the” is one token: id 262.");
  assert.equal(explain(XYZ, 0), "None of the remaining pairs is in the vocabulary: “xyz” is 3 tokens.");
  assert.match(explain({ ...XYZ, is_whole: true }, 0), /takes it without merging: id 87\./);
});

test("each pretoken has a frame before every merge and one at its end", () => {
  const frames = new Frames([THE, XYZ, THE]);
  assert.deepEqual([frames.length, frames.nMerges], [9, 6]);
  const seen = Array.from({ length: 9 }, (_, frame) => frames.at(frame)).map(({ at, nDone, nMerged }) => [at, nDone, nMerged]);
  assert.deepEqual(seen, [[0, 0, 0], [0, 1, 1], [0, 2, 2], [0, 3, 3], [1, 0, 3], [2, 0, 3], [2, 1, 4], [2, 2, 5], [2, 3, 6]]);
  assert.equal(new Frames([]).length, 0);
});

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

test("each joint exists from the merge that makes it", () => {
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

test("a token taken whole comes last", () => {
  const played = /** @type {any} */ ({ leaves: ["a", "b", "c"], steps: [[0, 300, null, null, "ab"]] });
  assert.deepEqual(mergesOfNodes([[1, 1, 1, 3, 5]], played), [[0, 0, 0, 1, 1]]);
});
