import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf, mergeAt, niceTicks, rangeOf, spread, stairs, stepScale, valueAt, vocabularyAt } from "./curve.js";

test("ticks are round numbers in the range", () => {
  assert.deepEqual(niceTicks(1, 4.6, 4), [1, 2, 3, 4]);
  assert.deepEqual(niceTicks(0, 1000, 4), [0, 500, 1000]);
  assert.deepEqual(niceTicks(1, 1.5, 4), [1, 1.2, 1.4]);
  assert.ok(niceTicks(0, 1, 4).every((tick) => tick >= 0 && tick <= 1));
});

test("labels keep their order and distance, and stay above the bottom", () => {
  assert.deepEqual(spread([10, 12, 60], 15, 100), [10, 25, 60]);
  assert.deepEqual(spread([95, 96], 15, 100), [85, 100]);
});

const CURVE = { name: "BPE", step: "merge", size: 258, last: 2, lines: {}, merges: [0, 1, 2], vocabulary: [256, 257, 258], training: [1, 2, 4], held_out: [1, 2, 2.5], saved: [0, 9, 3], references: {} };

test("without held-out text there is one line", () => {
  assert.deepEqual(linesOf(CURVE, "times").map(({ name }) => name), ["held-out", "training"]);
  assert.deepEqual(linesOf({ ...CURVE, held_out: null }, "times").map(({ name }) => name), ["training"]);
});

test("the saved share agrees with bytes per token, and merges that saved nothing are left out", () => {
  assert.deepEqual(linesOf(CURVE, "share")[1].points, [[0, 0], [1, 50], [2, 75]]);
  assert.deepEqual(linesOf(CURVE, "saved"), [{ name: "saved", points: [[1, 9], [2, 3]] }]);
});

test("between two points the earlier value holds", () => {
  assert.equal(valueAt([[0, 1], [5, 2]], 4), 1);
  assert.equal(valueAt([[2, 1]], 1), undefined);
});

test("an axis has a range, even for one value or none", () => {
  assert.deepEqual(rangeOf([1, 1.5, 3], false), [1, 3]);
  assert.deepEqual(rangeOf([], true), [1, 10]);
  assert.deepEqual(rangeOf([500, 500], true), [500, 1000]);
  assert.deepEqual(rangeOf([0.5, 70], true), [1, 70]);
});

test("each merge is a step as high as what it saves", () => {
  assert.equal(stairs([[0, 1], [1, 3], [4, 3.5]], (k) => 10 * k, (value) => -value), "M0.0 -1.0H10.0V-3.0H40.0V-3.5");
});

test("runs go from left to right: by size, from large to small if they remove tokens, and by steps if only some do", () => {
  const falling = { merges: [0, 1, 2], vocabulary: [1000, 500, 100], size: 100, last: 2 };
  const down = stepScale([falling]), up = stepScale([CURVE]), both = stepScale([CURVE, falling]);
  for (const [scale, curve] of /** @type {[typeof up, typeof falling][]} */ ([[down, falling], [up, CURVE], [both, CURVE]])) {
    assert.deepEqual([0, 2].map((k) => Math.abs(scale.of(/** @type {any} */ (curve), k))), [0, 1], scale.title);
    for (const k of [0, 1, 2]) assert.equal(scale.at(scale.of(/** @type {any} */ (curve), k)), k, scale.title);
  }
  assert.equal(both.of(/** @type {any} */ (falling), 1), 0.5);
  assert.deepEqual([0, 1, 1.5, 9].map((k) => vocabularyAt(falling, k)), [1000, 500, 300, 100]);
  for (const curve of [falling, CURVE]) for (const k of [0, 1, 2]) assert.equal(mergeAt(curve, vocabularyAt(curve, k)), k);
});
