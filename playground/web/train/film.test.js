import assert from "node:assert/strict";
import { test } from "node:test";
import { pairsAt, pairsTitle, textFrame, visibleTokens } from "./film.js";

/** "aab" with one merge, a + a. */
const AAB = { start: [0, 1, 2, 0], end: [1, 2, 3, 2], id: [97, 97, 98, 256], made: [0, 0, 0, 1], gone: [1, 1, -1, -1], color: [0, 1, 2, 0] };

/** @param {number} k @param {[number, number] | null} [pair] */
const frame = (k, pair = null) => textFrame("aab", AAB, k, pair);

test("a token exists from the merge that makes it to the merge that uses it", () => {
  assert.deepEqual([visibleTokens(AAB, 0), visibleTokens(AAB, 1)], [[0, 1, 2], [3, 2]]);
});

test("a frame spells the text, and marks the token that its merge made", () => {
  assert.deepEqual(frame(0).segments.map(({ text, isNew }) => [text, isNew]), [["a", false], ["a", false], ["b", false]]);
  assert.deepEqual(frame(1).segments.map(({ text, ids, isNew }) => [text, ids, isNew]), [["aa", [256], true], ["b", [98], false]]);
  assert.deepEqual([frame(0).nTokens, frame(1).nTokens], [3, 2]);
});

test("a pair is marked wherever it occurs, and counted", () => {
  assert.deepEqual(frame(0, [97, 97]).segments.map(({ isPair }) => isPair), [true, true, false]);
  assert.equal(frame(0, [97, 97]).nPairs, 1);
  assert.equal(frame(1, [97, 97]).nPairs, 0);
  assert.deepEqual(frame(0, [97, 98]).segments.map(({ isPair }) => isPair), [false, true, true]);
});

test("tokens that split a character form one segment with both ids", () => {
  const bytes = { start: [0, 1, 2], end: [1, 2, 3], id: [195, 169, 33], made: [0, 0, 0], gone: [-1, -1, -1], color: [0, 1, 1] };
  const { segments, nTokens } = textFrame("é!", bytes, 0, null);
  assert.deepEqual(segments.map(({ text, ids, color }) => [text, ids, color]), [["é", [195, 169], 0], ["!", [33], 1]]);
  assert.equal(nTokens, 3);
});

test("neighbours differ in colour, even if the server gave both the same", () => {
  const same = { ...AAB, color: [3, 3, 3, 3] };
  const colors = textFrame("aab", same, 0, null).segments.map(({ color }) => color);
  assert.equal(new Set([colors[0], colors[1]]).size, 2);
  assert.equal(new Set([colors[1], colors[2]]).size, 2);
});

/** @type {Parameters<typeof pairsAt>[0]} */
const DATA = { n: 3, pairs: [[258, 99, 4]], merges: { first: 0, rows: [[97, 97, 256, 9, 20], [256, 98, 257, 7, 15], [257, 99, 258, 5, 12]] } };

test("after the newest merge the most frequent pairs are listed, before it the merges that follow", () => {
  assert.deepEqual(pairsAt(DATA, 3), [[258, 99, 4]]);
  assert.deepEqual(pairsAt(DATA, 0), [[97, 97, 9], [256, 98, 7], [257, 99, 5]]);
  assert.deepEqual(pairsAt(DATA, 2), [[257, 99, 5]]);
  assert.deepEqual(pairsAt({ ...DATA, merges: { first: 1, rows: DATA.merges.rows.slice(1) } }, 2), [[257, 99, 5]], "only the last merges are listed");
});

test("the title names the listed pairs", () => {
  assert.equal(pairsTitle({ n: 3, is_over: true }, 3), "pairs left (get_stats)");
  assert.equal(pairsTitle({ n: 3, is_over: false }, 3), "next pairs (get_stats)");
  assert.equal(pairsTitle({ n: 3, is_over: false }, 2), "next merges after 2");
});
