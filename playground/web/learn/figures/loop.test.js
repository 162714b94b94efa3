import assert from "node:assert/strict";
import { test } from "node:test";
import { measure, written } from "./loop.js";

test("a share of 77.8 % is 4.5 times", () => {
  assert.equal(written(measure(4500, 1000, "share"), "share"), "77.8 %");
  assert.equal(written(measure(4500, 1000, "times"), "times"), "4.50 ×");
});
