import assert from "node:assert/strict";
import { test } from "node:test";
import { allHeard } from "./hearing.js";

test("all that was said is waited for, also what is sent in a task of its own, and nothing that is said later", { timeout: 60_000 }, async () => {
  const page = { nSaid: 3, nHeard: 3 }, looked = Promise.withResolvers();
  let isHeard = false, nLooks = 0;
  const said = () => page.nSaid, heard = () => (++nLooks === 3 && looked.resolve(null), page.nHeard);
  const waiting = allHeard({ said, heard, now: () => 0 }).then(() => (isHeard = true));
  setTimeout(() => (page.nSaid = 4));
  await looked.promise;
  assert.equal(isHeard, false);
  Object.assign(page, { nSaid: 5, nHeard: 4 });
  await waiting;
});

test("nobody waits for good for a page that does not run", async () => {
  const times = [0, 30_000, 30_001];
  await allHeard({ said: () => 1, heard: () => 0, now: () => times.shift() ?? NaN });
  assert.deepEqual(times, []);
});
