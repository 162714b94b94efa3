import assert from "node:assert/strict";
import { test } from "node:test";
import { positionOf, secondsFor, SPEEDS, stepAfter, stepAt, stepsAfter, TextFilm, visibleTokens } from "./playing.js";
import { RunLog } from "./run_log.js";
import { logOf } from "./testing.js";

/** The ids of a text after each step. @param {TextFilm} film @param {number} n */
const idsAt = ({ tokens }, n) => Array.from({ length: n + 1 }, (_, k) => visibleTokens(tokens, k).map((place) => tokens.id[place]));

/** @param {string[]} pretokens @returns {import("./playing.js").RunCut} */
const bytesOf = (pretokens) => ({ run: 1, follows: "merges", states: [pretokens.map((text) => [[...text].map((letter) => letter.charCodeAt(0)), [...text].map(() => 1)])] });

test("merges join their pair wherever it is, from left to right, and never across pretokens", () => {
  const film = new TextFilm(bytesOf(["aaab", "b"]));
  film.follow(logOf([[256, 97, 97], [257, 256, 97], [258, 98, 98]]));
  assert.deepEqual(idsAt(film, 3), [[97, 97, 97, 98, 98], [256, 97, 98, 98], [257, 98, 98], [257, 98, 98]]);
});

test("steps that come later are followed from where the film is", () => {
  const log = logOf([[256, 97, 98], [257, 256, 99]]), film = new TextFilm(bytesOf(["abcab"]));
  const beginning = /** @type {RunLog} */ (Object.assign(Object.create(RunLog.prototype), log, { changes: log.changes.slice(0, 1) }));
  film.follow(beginning);
  film.follow(log);
  film.follow(log);
  assert.deepEqual(idsAt(film, 2).slice(1), [[256, 99, 256], [257, 256]]);
});

test("a removal divides a token into its parts, which may merge again", () => {
  const film = new TextFilm(bytesOf(["abc"]));
  film.follow(logOf([[256, 97, 98], [256], [257, 98, 99]]));
  assert.deepEqual(idsAt(film, 3), [[97, 98, 99], [256, 99], [97, 98, 99], [97, 257]]);
  assert.deepEqual(film.tokens.end.map((end, i) => end - film.tokens.start[i]), [1, 1, 1, 2, 1, 1, 2]);
});

test("a row of a table is its token from the step on that adds it", () => {
  const film = new TextFilm({ run: 1, follows: "rows", states: [[[[-1, -2, -1], [3, 1, 2]]], [[[1, -2, 0], [3, 1, 2]]]] });
  assert.deepEqual(idsAt(film, 2), [[-1, -2, -1], [-1, -2, 0], [1, -2, 0]]);
});

test("a token that a state leaves as it is stays, with its colour", () => {
  const film = new TextFilm({ run: 1, follows: "states", states: [[[[7, 8], [2, 1]]], [[[5, 6, 8], [1, 1, 1]]]] });
  assert.deepEqual(idsAt(film, 1), [[7, 8], [5, 6, 8]]);
  assert.deepEqual([film.tokens.made, film.tokens.gone], [[0, 0, 1, 1], [1, -1, -1, -1]]);
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

test("the slow pace shows two steps a second, then more, and continues from where it is", () => {
  assert.deepEqual([0, 5, 10].map(stepsAfter), [0, 10, 20]);
  assert.ok(stepsAfter(22) > 1000);
  for (const k of [0, 7, 20, 500]) assert.equal(stepsAfter(secondsFor(k) + 1e-9), k);
});

test("each pace goes on from the step at which it was chosen", () => {
  for (const speed of Object.keys(SPEEDS)) assert.equal(stepAfter(speed, 7, 0), 7, speed);
  assert.equal(stepAfter("25 a second", 7, 2), 57);
  assert.equal(stepAfter("full speed", 7, 0.04), Infinity);
});
