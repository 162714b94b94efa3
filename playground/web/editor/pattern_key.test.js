import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnchanged, switched } from "./pattern_key.js";

test("a press turns one alternative off, and the next on again", () => {
  const own = { own: "", off: [] }, without = switched(switched(own, 4), 2);
  assert.deepEqual([without, isUnchanged(without)], [{ own: "", off: [2, 4] }, false]);
  assert.deepEqual(switched(switched(without, 2), 4), own);
  assert.equal(isUnchanged(own), true);
  assert.equal(isUnchanged({ own: "a", off: [] }), false);
});
