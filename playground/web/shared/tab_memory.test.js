import assert from "node:assert/strict";
import { test } from "node:test";
import { onUnkept, TabMemory } from "./tab_memory.js";

/** A storage with room for `limit` characters. @param {number} limit */
function storeOf(limit) {
  /** @type {Map<string, string>} */
  const items = new Map();
  return /** @type {Storage} */ (/** @type {unknown} */ ({
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => {
      if (value.length > limit) throw new DOMException("full", "QuotaExceededError");
      items.set(key, value);
    },
    removeItem: (/** @type {string} */ key) => void items.delete(key),
  }));
}

test("a saved value is read back, lone surrogates included", () => {
  const memory = new TabMemory(storeOf(100), "k");
  assert.deepEqual(memory.read(), {});
  memory.write({ text: "a\ud83d\r\n" });
  assert.deepEqual(memory.read(), { text: "a\ud83d\r\n" });
});

test("an unreadable value is ignored", () => {
  const store = storeOf(20), memory = new TabMemory(store, "k");
  for (const damaged of ["{", "null", "3", '"text"']) {
    store.setItem("k", damaged);
    assert.deepEqual(memory.read(), {});
  }
});

test("a value that a full or blocked store can't take lives as long as the page, which says so", () => {
  let nDrawn = 0;
  onUnkept(() => nDrawn++, new AbortController().signal);
  for (const store of [storeOf(20), undefined]) {
    const memory = new TabMemory(store, "k");
    memory.write({ text: "short" });
    memory.write({ text: "x".repeat(100) });
    assert.deepEqual(memory.read(), { text: "x".repeat(100) });
    memory.forget();
    assert.deepEqual(new TabMemory(store, "k").read(), {});
  }
  assert.equal(nDrawn, 1);
});
