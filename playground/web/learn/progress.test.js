import assert from "node:assert/strict";
import { test } from "node:test";
import { isReadToEnd, Progress } from "./progress.js";

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

test("who walks to the last step has read a lesson; who jumps there or comes back into it has not", () => {
  const at = (/** @type {string | null} */ lesson, /** @type {number} */ step) => ({ lesson, step, isPresenting: false, way: /** @type {const} */ ("all"), asked: "" });
  const isRead = [[at("a", 2), at("a", 3)], [at("a", 1), at("a", 3)], [at("b", 1), at("a", 3)], [null, at("a", 3)], [at("a", 1), at("a", 2)]].map(([before, place]) =>
    isReadToEnd(before, /** @type {import("./place.js").Place} */ (place), 3));
  assert.deepEqual(isRead, [true, false, false, false, false]);
  assert.equal(isReadToEnd(null, at("a", 1), 1), true);
});
