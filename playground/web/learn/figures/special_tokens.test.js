import assert from "node:assert/strict";
import { test } from "node:test";
import { nSlidOut } from "./special_tokens.js";

test("columns that stay are those that the other row begins with", () => {
  assert.equal(nSlidOut(["a", "b", "c"], ["b", "c", "d"]), 1);
  assert.equal(nSlidOut(["a", "b"], ["a", "b", "c"]), 0);
  assert.equal(nSlidOut(["a", "b", "c"], ["a", "b"]), 0);
  assert.equal(nSlidOut(["a", "b"], ["x", "y"]), 2);
  assert.equal(nSlidOut([], ["x"]), 0);
});
