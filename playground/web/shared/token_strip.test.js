import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenClass } from "./token_strip.js";

test("the class of a segment tells its colour, its kinds, several tokens and an end of a line", () => {
  assert.equal(tokenClass("a", { color: 3, nTokens: 1, kinds: [] }), "t c3");
  assert.equal(tokenClass("é", { color: 0, nTokens: 2, kinds: ["special", "new"] }), "t c0 special new many");
  assert.equal(tokenClass("\r\n", { color: 1, nTokens: 1, kinds: [] }), "t c1 line");
});
