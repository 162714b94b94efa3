import assert from "node:assert/strict";
import { test } from "node:test";
import { legendOf, markedPlaces } from "./bpe_by_hand.js";

/** @param {string} letters @param {string} pair */
const marked = (letters, pair) => [...markedPlaces(/** @type {any} */ ({ symbols: [...letters] }), /** @type {any} */ ({ left: pair[0], right: pair[1] }))].join(" ");

test("places of a pair are marked from the left, none twice", () => {
  assert.equal(marked("aaab", "aa"), "0 1");
  assert.equal(marked("aaaab", "aa"), "0 1 2 3");
  assert.equal(marked("abcab", "ab"), "0 1 3 4");
  assert.equal(marked("abc", "xx"), "");
});

test("the last symbols are spelled out, with what they are made of", () => {
  const made = (/** @type {string[]} */ ...names) => legendOf({ merges: names.map((name) => ({ name, left: "a", right: "\n" })) });
  assert.deepEqual(made(), []);
  assert.deepEqual(made("Z"), ["Z = a⏎"]);
  assert.deepEqual(made("Z", "Y", "X", "W"), ["Y = a⏎", "X = a⏎", "W = a⏎"]);
});
