import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf, shadeOf, TokenFacts } from "./drawn_block.js";

/** @param {string} text @param {number} nTokens @param {number} nBytes */
const segment = (text, nTokens, nBytes) => ({ text, first: 0, last: nTokens, nBytes });

test("shades are ranges of values, and each has a meaning in the legend", () => {
  const rank = (/** @type {number | null} */ of) => shadeOf("rank", segment("a", 1, 1), { rank: of, category: 0 });
  assert.deepEqual([0, 255, 256, 999, 1_000, 20_000, 10 ** 6].map(rank), ["step0", "step0", "step1", "step1", "step2", "step4", "step4"]);
  assert.equal(rank(null), "");
  const bytes = (/** @type {number} */ n, nTokens = 1) => shadeOf("bytes", segment("a", nTokens, n), undefined);
  assert.deepEqual([bytes(1), bytes(2), bytes(4), bytes(7), bytes(8), bytes(6, 4)], ["step0", "step1", "step2", "step3", "step4", "step0"]);
  assert.equal(shadeOf("category", segment("a", 1, 1), undefined), "");
  assert.equal(shadeOf("category", segment("12", 1, 2), { rank: 1, category: 2 }), "kind2");
  assert.equal(shadeOf("category", segment(" 한", 2, 4), { rank: 1, category: -2 }), "kind0");
  assert.equal(shadeOf("category", segment("👋", 2, 4), { rank: 1, category: -2 }), "kind5");
  assert.deepEqual(["position", "id"].map((by) => keyOf(/** @type {any} */ (by)).length), [0, 0]);
  assert.deepEqual(keyOf("category").map(([name]) => name), ["kind0", "kind1", "kind2", "kind3", "kind4", "kind5"]);
});

test("ids needed at the same moment are requested together, each once", async () => {
  const asked = /** @type {number[][]} */ ([]);
  let nNew = 0;
  const facts = new TokenFacts(
    (ids) => {
      asked.push(ids);
      return Promise.resolve({ ranks: ids.map((id) => id * 2), categories: ids.map(() => 0) });
    },
    () => nNew++,
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  assert.equal(facts.of(7), undefined);
  assert.equal(facts.of(8), undefined);
  facts.of(7);
  await settle();
  assert.deepEqual(asked, [[7, 8]]);
  assert.deepEqual([facts.of(8), nNew], [{ rank: 16, category: 0 }, 1]);
  facts.of(9);
  facts.forget();
  await settle();
  assert.equal(facts.of(8), undefined, "of another tokenizer");
  await settle();
  assert.deepEqual(asked.at(-1), [8]);
});

test("ids that the server doesn't know are not requested again and again", async () => {
  let nAsked = 0;
  const facts = new TokenFacts(() => (nAsked++, Promise.reject(new Error("no"))), () => facts.of(1));
  facts.of(1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(nAsked, 1);
});
