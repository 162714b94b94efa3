import assert from "node:assert/strict";
import { test } from "node:test";
import { runEnd } from "./run_end.js";

test("who has asked for a run waits until it has begun and ended, who has not only until none is under way", async () => {
  const states = [false, true, true, false], seen = [];
  await runEnd(true, () => (seen.push(states.length), states.shift() ?? false));
  assert.equal(seen.length, 4);
  let nLooks = 0;
  await runEnd(false, () => ++nLooks < 2);
  assert.equal(nLooks, 2);
});
