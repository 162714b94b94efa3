import assert from "node:assert/strict";
import { test } from "node:test";
import { curveOf } from "./run_log.js";
import { logOf } from "./testing.js";

const MERGES = [[256, 97, 97], [257, 256, 97], [258, 257, 98]];

test("the changes of each step are found, and none of a step that is not there", () => {
  const log = logOf(MERGES);
  assert.deepEqual([0, 1, 3, 4].map((step) => log.changesOf(step).map(({ id }) => id)), [[], [256], [258], []]);
});

test("candidates are those of the shown step, or of the last earlier step with a record", () => {
  /** @type {import("./run_log.js").Candidate} */
  const first = [97, 97, 9, 9, ""];
  /** @type {import("./run_log.js").Candidate} */
  const second = [257, 98, 4, 4, ""];
  const log = logOf(MERGES, { chunks: [{ labels: {}, candidates: [[0, [first]], [2, [second]]], lines: {} }] });
  assert.deepEqual(log.candidatesAt(1), { at: 0, rows: [first] });
  assert.deepEqual(log.candidatesAt(2), { at: 2, rows: [second] });
  assert.deepEqual(logOf(MERGES).candidatesAt(2), { at: 2, rows: [] });
});

test("the curve has the first and the last state, and evenly spaced ones between", () => {
  assert.deepEqual(curveOf(logOf(MERGES)).training, [1, 100 / 90, 100 / 80, 100 / 70]);
  const { merges, saved, vocabulary } = curveOf(logOf(MERGES), 2);
  assert.deepEqual([merges, saved, vocabulary], [[0, 1, 3], [0, 10, 10], [256, 257, 259]]);
  assert.deepEqual(curveOf(logOf(MERGES, { chunks: [] })).merges, []);
});
