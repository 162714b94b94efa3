import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseAt, transportOf } from "./train.js";

test("an empty field removes the pause, and an invalid number changes nothing", () => {
  assert.equal(pauseAt(""), null);
  assert.equal(pauseAt(" 40 "), 40);
  for (const text of ["0", "-1", "1.5", "x", "1e10"]) assert.equal(pauseAt(text), undefined, text);
});

test("the status determines which buttons are enabled", () => {
  assert.deepEqual(transportOf("paused"), { isPaused: true, canPause: true, canStep: true, canStop: true, canReset: true });
  assert.deepEqual(transportOf("running"), { isPaused: false, canPause: true, canStep: false, canStop: true, canReset: true });
  assert.deepEqual(transportOf("finished"), { isPaused: false, canPause: false, canStep: false, canStop: false, canReset: true });
  assert.equal(transportOf("").canReset, false);
});
