import assert from "node:assert/strict";
import { test } from "node:test";
import { againstFirst, placeBeside } from "./views.js";

/** @param {number} n_tokens @param {number} first @returns {any} */
const row = (n_tokens, first) => ({ n_tokens, tokens_against_first: n_tokens - first });

test("more tokens than the first have a plus, fewer a minus, and nothing is divided by nothing", () => {
  const shown = (/** @type {number} */ n, /** @type {number} */ first) => againstFirst(row(n, first), row(first, first));
  assert.deepEqual([shown(56, 39), shown(38, 39), shown(39, 39), shown(0, 0)], ["+17 (+44\u00a0%)", "−1 (−3\u00a0%)", "0 (0\u00a0%)", "0"]);
});

test("a tip stands below its token, above it near the lower edge, and always inside the window", () => {
  const tip = { width: 200, height: 60 }, at = (/** @type {number} */ top, left = 50, height = 500) => placeBeside({ left, top, bottom: top + 80 }, tip, 600, height);
  assert.deepEqual(at(100), { left: 50, top: 186 });
  assert.deepEqual(at(400), { left: 50, top: 334 });
  assert.deepEqual(at(100, 590), { left: 394, top: 186 });
  assert.deepEqual(at(40, 50, 150), { left: 50, top: 84 }, "room neither below nor above");
});
