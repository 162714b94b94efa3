import assert from "node:assert/strict";
import { test } from "node:test";
import { afterOpening, afterPress, named } from "./options.js";

const all = (/** @type {string[]} */ ...names) => names.map(named);
const gpt4o = { name: "gpt-4o", label: "GPT-4o", tokenizer: "o200k_base", detail: "" };
const gpt5 = { name: "gpt-5", label: "GPT-5", tokenizer: "o200k_base", detail: "" };

test("a press chooses one, or adds to several and takes away until no more fit", () => {
  const [a, b, c] = all("a", "b", "c");
  assert.deepEqual(afterPress([a], b, 1), [b]);
  assert.deepEqual(afterPress([a], b, 2), [a, b]);
  assert.deepEqual(afterPress([a, b], a, 2), [b]);
  assert.equal(afterPress([a, b], c, 2), null);
});

test("a model replaces another one with the same tokenizer, for both have the same tokens", () => {
  assert.deepEqual(afterPress([gpt4o, named("qwen3")], gpt5, 2), [gpt5, named("qwen3")]);
});

test("opened files stand behind the first, and the last of the others give way", () => {
  assert.deepEqual(afterOpening(all("a"), all("x", "y"), 1), { chosen: all("y"), gone: [] });
  assert.deepEqual(afterOpening(all("a", "b", "c"), all("x"), 3), { chosen: all("a", "x", "b"), gone: all("c") });
  assert.deepEqual(afterOpening(all("a", "x"), all("x"), 3), { chosen: all("a", "x"), gone: [] });
  assert.deepEqual(afterOpening([], all("x"), 0), { chosen: [], gone: [] });
});
