import assert from "node:assert/strict";
import { test } from "node:test";
import { sentenceOfSum } from "./chat_editor.js";

test("messages and what the template adds are seen to sum up", () => {
  assert.equal(sentenceOfSum([11, 9], 23), "The template adds 3 around the messages: 11 + 9 + 3 = 23 tokens.");
  assert.equal(sentenceOfSum([11, 0, 1200], 1211), "11 + 1,200 = 1,211 tokens.");
  assert.equal(sentenceOfSum([5], 5), "");
  assert.equal(sentenceOfSum([], 3), "");
  assert.equal(sentenceOfSum(Array(9).fill(10), 93), "The template adds 3 around the messages: 90 tokens of messages + 3 = 93 tokens.");
});
