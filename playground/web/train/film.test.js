import assert from "node:assert/strict";
import { test } from "node:test";
import { pairsAt, pairsTitle } from "./film.js";

/** @type {Parameters<typeof pairsAt>[0]} */
const DATA = { n: 3, pairs: [[258, 99, 4]], merges: { first: 0, rows: [[97, 97, 256, 9, 20], [256, 98, 257, 7, 15], [257, 99, 258, 5, 12]] } };

test("after the newest merge the most frequent pairs are listed, before it the merges that follow", () => {
  assert.deepEqual(pairsAt(DATA, 3), [[258, 99, 4]]);
  assert.deepEqual(pairsAt(DATA, 0), [[97, 97, 9], [256, 98, 7], [257, 99, 5]]);
  assert.deepEqual(pairsAt(DATA, 2), [[257, 99, 5]]);
  assert.deepEqual(pairsAt({ ...DATA, merges: { first: 1, rows: DATA.merges.rows.slice(1) } }, 2), [[257, 99, 5]], "only the last merges are listed");
});

test("the title says which pairs are listed", () => {
  assert.equal(pairsTitle({ n: 3, is_over: true }, 3), "pairs left (get_stats)");
  assert.equal(pairsTitle({ n: 3, is_over: false }, 3), "next pairs (get_stats)");
  assert.equal(pairsTitle({ n: 3, is_over: false }, 2), "next merges after 2");
});
