import assert from "node:assert/strict";
import { test } from "node:test";
import { kindOf } from "./cuts.js";

test("no two of the alternatives of a pattern look alike", () => {
  assert.equal(new Set([null, 0, 1, 2, 3, 4, 5, 6, 7, 8].map(kindOf)).size, 10);
});
