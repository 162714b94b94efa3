import assert from "node:assert/strict";
import { test } from "node:test";
import { isReloadDue } from "./dead_page.js";

test("a dead page is reloaded, but not one that dies again at once", () => {
  /** @type {{at?: number}} */
  let kept = {};
  const memory = { read: () => kept, write: (/** @type {{at: number}} */ value) => void (kept = value) };
  const due = [1_000_000, 1_000_001, 1_029_999, 1_030_000, 1_030_001].map((now) => isReloadDue(memory, now));
  assert.deepEqual(due, [true, false, false, true, false]);
});

test("a browser that keeps nothing is not reloaded", () => {
  assert.equal(isReloadDue({ read: () => ({}), write: () => {} }, 1_000_000), false);
});
