import assert from "node:assert/strict";
import { test } from "node:test";
import { costOfMessage, nTokensOfCalls, sentenceOfSum, withTokens } from "./chat_editor.js";

test("the tokens of the messages and of the template add up to the total", () => {
  assert.equal(sentenceOfSum([11, 9], 23), "The template adds 3 around the messages: 11 + 9 + 3 = 23 tokens.");
  assert.equal(sentenceOfSum([11, 0, 1200], 1211), "11 + 1,200 = 1,211 tokens.");
  assert.equal(sentenceOfSum([5], 5), "");
  assert.equal(sentenceOfSum([], 3), "");
  assert.equal(sentenceOfSum(Array(9).fill(10), 93), "The template adds 3 around the messages: 90 tokens of messages + 3 = 93 tokens.");
});

test("a message that a template leaves out is reported, and one counted with the next is not", () => {
  assert.equal(costOfMessage([0, 0, 1]), "0 tokens: the template leaves this message out");
  assert.equal(costOfMessage([0, 0, 0]), "");
  assert.equal(costOfMessage([]), "", "its cost has not come yet");
  assert.equal(costOfMessage([1, 1, 1]), "1 token, 1 of them from the template");
  assert.equal(costOfMessage([1200, 4, 2]), "1,200 tokens, 4 of them from the template, with the previous message");
  assert.equal(costOfMessage([9, 4, 3]), "9 tokens, 4 of them from the template, with the previous 2 messages");
});

test("a message's calls are found among a chat's tools and calls", () => {
  const call = { name: "get_weather", arguments: '{"city": "Oslo"}' }, other = { name: "stop", arguments: "{}" };
  const extras = [
    { label: "tool get_weather", text: JSON.stringify(call), is_tool: true, n_tokens: 100 },
    { label: "call of get_weather", text: JSON.stringify(call, null, 1), is_tool: false, n_tokens: 12 },
    { label: "call of stop", text: JSON.stringify(other), is_tool: false, n_tokens: 5 },
  ];
  const fields = (/** @type {object[]} */ ...calls) => JSON.stringify({ content: null, tool_calls: calls });
  assert.equal(nTokensOfCalls(fields({ id: "1", function: call }), extras), 12);
  assert.equal(nTokensOfCalls(fields({ function: call }, other), extras), 17);
  assert.equal(nTokensOfCalls(fields({ name: "gone" }), extras), 0, "a call that was taken away");
  assert.equal(nTokensOfCalls("", extras), 0);
  assert.equal(nTokensOfCalls('{"name": "x"}', extras), 0);
});

test("a late answer doesn't change tools and calls", () => {
  const tool = { label: "tool", text: "{}", is_tool: true, n_tokens: 0 }, answered = [{ ...tool, n_tokens: 7 }];
  assert.deepEqual(withTokens([tool], answered), answered);
  assert.deepEqual(withTokens([tool], []), [tool], "one that was brought back meanwhile");
  assert.deepEqual(withTokens([], answered), [], "one that was taken away");
  assert.deepEqual(withTokens([{ ...tool, text: "[]" }], answered), [{ ...tool, text: "[]" }]);
});
