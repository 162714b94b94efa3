import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheOf, changed, nameOf, piecesOf, reportedOf, segmentsOf, sumsOf } from "./xray.js";

/** @param {string} kind @param {number} n_tokens @param {string} label @returns {any} */
const piece = (kind, n_tokens, label = kind) => ({ kind, label, n_tokens, mark: "" });
const PIECES = [piece("tool", 50, "search"), piece("system", 4), piece("frame", 2, "around system"), piece("frame", 3, "around user"), piece("user", 40)];
/** @param {any} given @returns {any} */
const turn = (given) => ({ ranges: [[0, 5]], n_tokens: 99, usage: null, diff: null, ...given });

test("a turn's pieces are those of its ranges, and narrow neighbours are drawn together", () => {
  assert.deepEqual(piecesOf(turn({ ranges: [[0, 2], [4, 5]] })), [0, 1, 4]);
  const segments = segmentsOf(turn({}), PIECES, 5);
  assert.deepEqual(segments.map(({ pieces, n }) => [pieces, n]), [[[0], 50], [[1, 2], 6], [[3], 3], [[4], 40]]);
  assert.equal(segments.reduce((sum, { n }) => sum + n, 0), 99);
  assert.deepEqual(segments.map((segment) => nameOf(segment, PIECES)), ["tool search: 50 tokens", "2 small parts, mostly system: 6 tokens", "around user: 3 tokens", "user: 40 tokens"]);
  assert.deepEqual(sumsOf(turn({}), PIECES), { tool: 50, system: 4, frame: 5, user: 40 });
});

test("what the service reported stands beside what the log holds", () => {
  assert.equal(reportedOf(turn({})), "");
  const usage = { n_input: 1099, n_cache_read: 1000, n_cache_write: 20, n_output: 3 };
  assert.equal(reportedOf(turn({ usage })), "The service reported 1,099 input tokens, 1,000 from the cache, 20 written to it. 1,000 of them are not in the log.");
  assert.equal(reportedOf(turn({ usage: { ...usage, n_input: 100, n_cache_read: null, n_cache_write: null } })), "The service reported 100 input tokens.");
});

test("a broken prefix says where, why and what it costs", () => {
  const diff = { n_shared: 1300, n_lost: 700, place: "", cause: "", n_cacheable: 1280, rule: "OpenAI keeps 1,024 or more", lost_dollars: null };
  assert.deepEqual(cacheOf(turn({})), []);
  assert.deepEqual(cacheOf(turn({ diff })), ["Begins with the whole turn before it: 1,300 tokens shared. 1,280 of them can be read from a cache (OpenAI keeps 1,024 or more)."]);
  const broken = { ...diff, place: "message 1, system", cause: "a date or a time", lost_dollars: 0.25 };
  assert.deepEqual(cacheOf(turn({ diff: broken })), ["The prefix breaks at message 1, system: a date or a time.", "1,300 tokens shared, 700 sent again, $0.2500 more than from a cache. 1,280 of them can be read from a cache (OpenAI keeps 1,024 or more)."]);
  assert.deepEqual(changed("7 23:59. Go", "8 00:01. Go"), ["7 23:59", "8 00:01", ". Go"]);
  assert.deepEqual(changed("", "more"), ["", "more", ""]);
});
