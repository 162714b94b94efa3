import assert from "node:assert/strict";
import { test } from "node:test";
import { heightOf, namedOf } from "./languages.js";

test("a larger multiple stands higher, and doubling is one distance", () => {
  assert.ok(heightOf(2, 20) < heightOf(1, 20));
  assert.ok(Math.abs(heightOf(1, 20) - heightOf(2, 20) - (heightOf(5, 20) - heightOf(10, 20))) < 1e-9);
});

test("the dearest of the first and of the last tokenizer are named", () => {
  const languages = [["English", 1, 1, 1], ["a", 9, 2, 1], ["b", 3, 3, 3], ["c", 2, 2, 2]];
  const named = namedOf(languages.map(([name, ...times]) => ({ name: String(name), times: /** @type {number[]} */ (times) })));
  assert.deepEqual([...named].toSorted(), ["English", "Korean", "a", "b"]);
});
