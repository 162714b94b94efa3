import assert from "node:assert/strict";
import { test } from "node:test";
import { allHeard } from "./hearing.js";

test("all that was said is waited for, also what is sent in a task of its own, and nothing that is said later", async () => {
  const page = { nSaid: 3, nHeard: 3 };
  let isHeard = false;
  const waiting = allHeard({ said: () => page.nSaid, heard: () => page.nHeard, now: () => 0 }).then(() => (isHeard = true));
  setTimeout(() => (page.nSaid = 4));
  await pause(60);
  assert.equal(isHeard, false);
  Object.assign(page, { nSaid: 5, nHeard: 4 });
  await waiting;
});

test("nobody waits for good for a page that does not run", async () => {
  const times = [0, 30_000, 30_001];
  await allHeard({ said: () => 1, heard: () => 0, now: () => times.shift() ?? NaN });
  assert.deepEqual(times, []);
});

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
