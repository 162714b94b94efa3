import assert from "node:assert/strict";
import { test } from "node:test";
import { measures, pairsTitle, stepName, textFrame, wordAt } from "./film.js";
import { visibleTokens } from "./playing.js";

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

test("the title says after which step the candidates were counted", () => {
  const run = (/** @type {string} */ score_name, /** @type {string} */ step, is_over = false) => ({ n: 3, isMerging: score_name === "count", isFalling: score_name !== "count", log: { view: { score_name, step, is_over } } });
  assert.equal(pairsTitle(run("count", "merge", true), 3, 3), "pairs left (get_stats)");
  assert.equal(pairsTitle(run("count", "merge"), 3, 3), "pairs after merge 3 (get_stats)");
  assert.equal(pairsTitle(run("loss", "pruning"), 3, 3), "tokens removed next after pruning 3: loss · count");
  assert.equal(pairsTitle(run("count", "merge"), 1, 0), "pairs as counted after merge 0");
});

test("steps have their algorithm's name, or a common one", () => {
  const [merge, pruning] = ["merge", "pruning"].map((step) => ({ step }));
  assert.deepEqual([[merge, merge], [merge, pruning], []].map(stepName), ["merge", "step", "step"]);
});

test("a click finds the word with its space, and nothing beside words", () => {
  assert.equal(wordAt("the cat.", 5), " cat");
  assert.equal(wordAt("the cat.", 7), "");
});

test("the measured text is named, and what differs between runs side by side", () => {
  const bpe = { name: "BPE", corpus: "Novel", pattern: "gpt2", size: 1256, n_bytes: 900, n_held_out_bytes: 100 };
  assert.equal(measures([bpe]), "The curve measures all 100 bytes of held-out text; the numbers below the passage are its own.");
  assert.match(measures([{ ...bpe, n_held_out_bytes: 0 }]), /all 900 bytes of training text/);
  assert.match(measures([{ ...bpe, name: "Unigram" }, bpe]), /its own\. These runs differ in algorithm \(BPE, Unigram\)\.$/);
  assert.match(measures([bpe, { ...bpe, corpus: "Code" }]), /corpus \(Code, Novel\)\. Each line is measured on its own corpus\.$/);
});
