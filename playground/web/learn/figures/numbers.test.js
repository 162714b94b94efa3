import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf, pathOf } from "./numbers.js";

test("a number's parts are what its cuts say", () => {
  assert.deepEqual(partsOf(677, "0"), ["677"]);
  assert.deepEqual(partsOf(1275, "2"), ["12", "75"]);
  assert.deepEqual(partsOf(1275, "5"), ["1", "27", "5"]);
});

test("the rectangles of all cuts cover each cell once", () => {
  const cuts = Array.from({ length: 10_000 }, (_, n) => String((n * 7919) % 8)).join("");
  let covered = 0;
  for (const wanted of ["0", "1", "2", "4", "3567"]) {
    for (const [, x, , width] of pathOf(cuts, wanted).matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
      assert.ok(Number(x) + Number(width) <= 100);
      covered += Number(width);
    }
  }
  assert.equal(covered, 10_000);
  assert.equal(pathOf(`1${"0".repeat(9_999)}`, "1"), "M0 0h1v1h-1z");
});
