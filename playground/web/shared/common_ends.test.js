import assert from "node:assert/strict";
import { test } from "node:test";
import { countCommonEnds } from "./common_ends.js";

test("ends are not counted twice", () => {
  const isSame = (/** @type {number} */ one, /** @type {number} */ other) => one === other;
  assert.deepEqual(countCommonEnds([1, 1, 1], [1, 1], isSame), [2, 0]);
  assert.deepEqual(countCommonEnds([1, 2, 3], [1, 9, 3], isSame), [1, 1]);
  assert.deepEqual(countCommonEnds([], [1], isSame), [0, 0]);
});
