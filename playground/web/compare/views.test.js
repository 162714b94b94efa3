import assert from "node:assert/strict";
import { test } from "node:test";
import { againstFirst } from "./views.js";

/** @param {number} n_tokens @param {number} first @returns {any} */
const row = (n_tokens, first) => ({ n_tokens, tokens_against_first: n_tokens - first });

test("more tokens than the first have a plus, fewer a minus, and nothing is divided by nothing", () => {
  const told = (/** @type {number} */ n, /** @type {number} */ first) => againstFirst(row(n, first), row(first, first));
  assert.deepEqual([told(56, 39), told(38, 39), told(39, 39), told(0, 0)], ["+17 (+44\u00a0%)", "−1 (−3\u00a0%)", "0 (0\u00a0%)", "0"]);
});
