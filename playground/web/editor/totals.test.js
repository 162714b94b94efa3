import assert from "node:assert/strict";
import { test } from "node:test";
import { costChange, costOf, costShown, DEFAULT_SETTINGS, windowShare } from "./totals.js";

test("the share of a context window, from empty to too small", () => {
  assert.equal(windowShare(0, 4096), "0.0 % of a context window of 4,096, 4,096 left");
  assert.equal(windowShare(1, 128000), "under 0.1 % of a context window of 128,000, 127,999 left");
  assert.equal(windowShare(4, 8), "50.0 % of a context window of 8, 4 left");
  assert.equal(windowShare(8, 8), "100.0 % of a context window of 8, 0 left");
  assert.equal(windowShare(9000, 8192), "808 tokens over a context window of 8,192");
});

test("prices are per million tokens, and a missing price is not shown", () => {
  const settings = { window: 8 };
  assert.equal(costOf(4, { ...settings, priceInput: 250_000, priceOutput: 500_000 }), "$1.00 as input · $2.00 as output");
  assert.equal(costOf(1000, { ...settings, priceInput: 2.5, priceOutput: "" }), "$0.0025 as input");
  assert.equal(costOf(4, { ...settings, priceInput: "", priceOutput: 0 }), "$0 as output");
  assert.equal(costOf(4, { ...settings, priceInput: "", priceOutput: "" }), "");
  assert.equal(costOf(4, { ...settings, priceInput: -1, priceOutput: "" }), "");
});

test("an invalid price gives a message beside the other price's result", () => {
  const settings = { window: 8, priceInput: 250_000 };
  assert.equal(costShown(4, { ...settings, priceOutput: -3 }), "$1.00 as input · enter a price of 0 or more, such as 2.50");
  assert.equal(costShown(4, { ...settings, priceInput: -0.5, priceOutput: "" }), "enter a price of 0 or more, such as 2.50");
  assert.equal(costShown(4, { ...settings, priceOutput: 0 }), "$1.00 as input · $0 as output");
  assert.equal(costShown(4, DEFAULT_SETTINGS), "");
  assert.equal(costShown(4, DEFAULT_SETTINGS, true), "enter a price of 0 or more, such as 2.50");
});

test("a difference in tokens has a difference in price", () => {
  const prices = { ...DEFAULT_SETTINGS, priceInput: 2.5 };
  assert.equal(costChange(-40_000, prices), "saves $0.1000 as input, each time");
  assert.equal(costChange(40_000, prices), "costs $0.1000 as input more, each time");
  assert.equal(costChange(-4, DEFAULT_SETTINGS), "");
});
