import assert from "node:assert/strict";
import { test } from "node:test";
import { cheapestOf } from "./choose.js";

test("the cheapest lose nothing, and equals stand together", () => {
  const row = (/** @type {string} */ name, /** @type {number} */ n, /** @type {string[]} */ ...loses) => ({ name, n_tokens: n, loses });
  assert.equal(cheapestOf([row("a", 9), row("b", 3, "dates"), row("c", 5), row("d", 5)]).map(({ name }) => name).join(), "c,d");
  assert.deepEqual(cheapestOf([row("a", 9, "text")]), []);
});
