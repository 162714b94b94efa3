import assert from "node:assert/strict";
import { test } from "node:test";
import { isReloadDue } from "./dead_page.js";

test("a dead page is reloaded, but not one that dies again at once", () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const store = { getItem: (/** @type {string} */ name) => kept.get(name) ?? null, setItem: (/** @type {string} */ name, /** @type {string} */ value) => void kept.set(name, value) };
  const due = [1_000_000, 1_000_001, 1_029_999, 1_030_000, 1_030_001].map((now) => isReloadDue(store, now));
  assert.deepEqual(due, [true, false, false, true, false]);
});
