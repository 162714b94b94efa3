import assert from "node:assert/strict";
import { test } from "node:test";
import { writtenOut } from "./written_number.js";

test("an exponent becomes zeros, and nothing else is written anew", () => {
  assert.deepEqual(["1e3", "2.5E4", "1e-2", "1000", "", "1e99", "1e-9"].map(writtenOut), ["1000", "25000", "0.01", "", "", "", ""]);
});
