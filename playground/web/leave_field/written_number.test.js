import assert from "node:assert/strict";
import { test } from "node:test";
import { writtenOut } from "./written_number.js";

test("an exponent becomes zeros, and nothing else is written anew", () => {
  assert.deepEqual(["1e3", "2.5E4", "1e-2", "1000", "", "1e99", "1e-9"].map((text) => writtenOut(text)), ["1000", "25000", "0.01", "", "", "", ""]);
});

test("a comma groups thousands where three digits follow one to three, and is a point else", () => {
  const written = ["1.000", "12.345", "-999.999", "0.150", "0.15", "1.5", "1234.567", ""].map((text) => writtenOut(text, true));
  assert.deepEqual(written, ["1000", "12345", "-999999", "", "", "", "", ""]);
  assert.equal(writtenOut("1.000"), "");
});
