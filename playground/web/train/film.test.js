import assert from "node:assert/strict";
import { test } from "node:test";
import { candidatesAt, mergesAfter, pairsTitle, positionOf, secondsFor, stepAt, stepName, textFrame, visibleTokens, wordAt } from "./film.js";

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

test("text that no token stands for is no token", () => {
  const { segments, nTokens } = textFrame("a b", { start: [0, 1, 2], end: [1, 2, 3], id: [0, -2, -1], made: [0, 0, 0], gone: [-1, -1, -1], color: [0, 1, 2] }, 0, null);
  assert.deepEqual([segments.length, nTokens], [3, 2]);
});

test("neighbours differ in colour, even if the server gave both the same", () => {
  const same = { ...AAB, color: [3, 3, 3, 3] };
  const colors = textFrame("aab", same, 0, null).segments.map(({ color }) => color);
  assert.equal(new Set([colors[0], colors[1]]).size, 2);
  assert.equal(new Set([colors[1], colors[2]]).size, 2);
});

/** @type {Parameters<typeof candidatesAt>[0]} */
const DATA = { n: 3, candidates: [[258, 99, 4, 4, ""]], earlier_candidates: [[0, [[97, 97, 9, 9, ""]]], [2, [[257, 99, 5, 5, ""]]], [3, [[258, 99, 4, 4, ""]]]] };

test("pairs are those of the shown merge, or of the last earlier merge with a record", () => {
  assert.deepEqual(candidatesAt(DATA, 3), { k: 3, candidates: [[258, 99, 4, 4, ""]] });
  assert.deepEqual(candidatesAt(DATA, 2), { k: 2, candidates: [[257, 99, 5, 5, ""]] });
  assert.deepEqual(candidatesAt(DATA, 1), { k: 0, candidates: [[97, 97, 9, 9, ""]] });
});

test("the title says after which step the candidates were counted", () => {
  const curve = { step: "merge", size: 259, vocabulary: [256, 259] }, pruned = { step: "pruning", size: 100, vocabulary: [900, 100] };
  assert.equal(pairsTitle({ n: 3, is_over: true, score_name: "count", curve }, 3, 3), "pairs left (get_stats)");
  assert.equal(pairsTitle({ n: 3, is_over: false, score_name: "count", curve }, 3, 3), "pairs after merge 3 (get_stats)");
  assert.equal(pairsTitle({ n: 3, is_over: false, score_name: "loss", curve: pruned }, 3, 3, false), "tokens removed next after pruning 3: loss · count");
  assert.equal(pairsTitle({ n: 3, is_over: false, score_name: "count", curve }, 1, 0), "pairs as counted after merge 0");
});

test("runs side by side show the same share of their steps", () => {
  const runs = [{ n: 7, last: 7 }, { n: 1000, last: 1000 }];
  assert.deepEqual([0, 142, 143, 500, 1000].map((k) => stepAt(runs[0], k, runs)), [0, 0, 1, 3, 7]);
  assert.deepEqual([0, 142, 1000].map((k) => stepAt(runs[1], k, runs)), [0, 142, 1000]);
  for (const step of [0, 1, 5, 7]) assert.equal(stepAt(runs[0], positionOf(runs[0], step, runs), runs), step);
});

test("at the newest step of unfinished runs all that was learned is shown", () => {
  const runs = [{ n: 403, last: 1000 }, { n: 2, last: 7 }];
  assert.deepEqual(runs.map((run) => stepAt(run, 403, runs)), [403, 2]);
  assert.equal(stepAt(runs[1], 100, runs), 0);
});

test("steps have their algorithm's name, or a common one", () => {
  const [merge, pruning] = ["merge", "pruning"].map((step) => /** @type {any} */ ({ curve: { step } }));
  assert.deepEqual([[merge, merge], [merge, pruning], []].map(stepName), ["merge", "step", "step"]);
});

test("a played film shows two merges a second, then more, and continues from where it is", () => {
  assert.deepEqual([0, 5, 10].map(mergesAfter), [0, 10, 20]);
  assert.ok(mergesAfter(22) > 1000);
  for (const k of [0, 7, 20, 500]) assert.equal(mergesAfter(secondsFor(k) + 1e-9), k);
});

test("a click finds the word with its space, and nothing beside words", () => {
  assert.equal(wordAt("the cat.", 5), " cat");
  assert.equal(wordAt("the cat.", 7), "");
});
