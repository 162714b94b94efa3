import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "./progress.js";

test("what was answered stays so, and two tabs add up", () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const store = /** @type {any} */ ({ getItem: (/** @type {string} */ key) => kept.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => kept.set(key, value) });
  const one = new Progress(store), other = new Progress(store);
  one.mark("a", "answered");
  other.mark("b", "read");
  one.mark("a", "read");
  assert.deepEqual(["a", "b", "c"].map((slug) => one.of(slug)), ["answered", "read", undefined]);
  kept.set("tessera.learn.progress", '{"a": 7}');
  assert.equal(one.of("a"), undefined);
});
