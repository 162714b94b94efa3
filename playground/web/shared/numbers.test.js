import assert from "node:assert/strict";
import { test } from "node:test";
import { count, counted, dollars, fixed, ratio, signed, times } from "./numbers.js";

test("numbers have separators, signs and decimals", () => {
  assert.deepEqual([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
  assert.deepEqual([0, 1, 2, 1000].map((n) => counted(n, "token")), ["0 tokens", "1 token", "2 tokens", "1,000 tokens"]);
  assert.deepEqual([0, 1, -1, 1234, -1234].map(signed), ["0", "+1", "−1", "+1,234", "−1,234"]);
  assert.deepEqual([0, 1.005, 1234.5].map(fixed), ["0.00", "1.01", "1,234.50"]);
  assert.deepEqual([ratio(3, 2), ratio(3, 0)], ["1.50", "–"]);
  assert.deepEqual([0, 1, 2, 1000].map(times), ["0 times", "once", "2 times", "1,000 times"]);
});

test("small amounts of money keep two digits that count", () => {
  assert.deepEqual([0, 0.000123, 0.5, 1, 1234.5].map(dollars), ["$0", "$0.00012", "$0.5000", "$1.00", "$1234.50"]);
});
