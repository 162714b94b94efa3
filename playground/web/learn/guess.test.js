import assert from "node:assert/strict";
import { test } from "node:test";
import { sharesOf, verdictOf } from "./guess.js";
import { withoutAnswer } from "./hidden_answer.js";

test("votes are drawn as parts of all votes", () => {
  assert.deepEqual(sharesOf([3, 1, 0]), [0.75, 0.25, 0]);
  assert.deepEqual(sharesOf([0, 0]), [0, 0]);
});

test("the answer is told with what was guessed, alone or by phone", () => {
  const guess = { asks: "?", options: ["1", "9"], right: 1 };
  assert.equal(verdictOf(guess, undefined, []), "The answer: 9.");
  assert.equal(verdictOf(guess, 1, []), "The answer: 9. You guessed it.");
  assert.equal(verdictOf(guess, 0, []), "The answer: 9. You guessed 1.");
  assert.equal(verdictOf(guess, 7, [0, 0]), "The answer: 9.");
  assert.equal(verdictOf(guess, 0, [1, 2]), "The answer: 9. 2 of 3 guessed it: A 1, B 2.");
});

test("an answer is hidden as a whole number or word only", () => {
  assert.equal(withoutAnswer("31.0 %", "31.0 %"), "? %");
  assert.equal(withoutAnswer("rank 496, not 4960 or 1,496 or 496.5", "496"), "rank ?, not 4960 or 1,496 or 496.5");
  assert.equal(withoutAnswer("50,257 × 768", "50257"), "? × 768");
  assert.deepEqual(["4", " 4 ", "4 bytes", "44"].map((text) => withoutAnswer(text, "4")), ["?", "?", "4 bytes", "44"]);
  assert.equal(withoutAnswer("(a.b) a.bc", "a.b"), "(?) a.bc");
});
