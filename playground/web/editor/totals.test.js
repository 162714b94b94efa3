import assert from "node:assert/strict";
import { test } from "node:test";
import { besideCount, costChange, costOf, costShown, DEFAULT_SETTINGS, figuresOf, windowShare, withModel } from "./totals.js";

test("beside the count is the share of a template, or the count with what the model's library adds", () => {
  const totals = { tokenizer: "bert", version: 1, n_tokens: 1998, categories: [], counts: { n_characters: 0, n_bytes: 0, n_words: 0, n_lines: 0 } };
  assert.equal(besideCount(totals), "");
  assert.equal(besideCount({ ...totals, beside: "for GPT-5, without 1 image" }), "for GPT-5, without 1 image");
  assert.equal(besideCount({ ...totals, n_around: 2, around: "with [CLS] … [SEP]" }), "2,000 with [CLS] … [SEP]");
});

test("the share of a context window, from empty to too small", () => {
  assert.equal(windowShare(0, 4096), "0.0 % of a context window of 4,096, 4,096 left");
  assert.equal(windowShare(1, 128000), "under 0.1 % of a context window of 128,000, 127,999 left");
  assert.equal(windowShare(4, 8), "50.0 % of a context window of 8, 4 left");
  assert.equal(windowShare(8, 8), "100.0 % of a context window of 8, 0 left");
  assert.equal(windowShare(9000, 0), "");
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

test("a model's context window and prices are used where the reader has set none", () => {
  const model = { name: "GPT-5", context_tokens: 400_000, input_price: 1.25, output_price: 10, date: "2026-11-27" };
  assert.deepEqual(withModel(DEFAULT_SETTINGS, model), { window: 400_000, priceInput: 1.25, priceOutput: 10 });
  assert.deepEqual(withModel({ window: 4096, priceInput: 0, priceOutput: "" }, model), { window: 4096, priceInput: 0, priceOutput: 10 });
  assert.deepEqual(withModel(DEFAULT_SETTINGS, null), { window: 0, priceInput: "", priceOutput: "" });
  assert.equal(figuresOf(model), "GPT-5: 400,000 tokens, $1.25 per 1M tokens as input, $10 as output (2026-11-27). What you set here is used instead.");
  assert.equal(figuresOf({ ...model, context_tokens: null, input_price: null, output_price: null }), "");
});
