import assert from "node:assert/strict";
import { test } from "node:test";
import { asChat, costOfMessage } from "./chat_editor.js";

/** @param {any} given */
const part = (given) => ({ kind: "user", label: "user", message: 0, mark: "", ...given });

test("the parts of a message add up to its total, with their marks", () => {
  assert.equal(costOfMessage([part({ n_tokens: 9 }), part({ kind: "frame", n_tokens: 4 })], [13, 4, 1]), "13 tokens: content 9 + frame 4");
  const call = part({ kind: "call", label: "get_weather", n_tokens: 1200, mark: "≈" });
  assert.equal(costOfMessage([part({ kind: "frame", n_tokens: 4 }), call], [4, 4, 1]), "≈ 1,204 tokens: frame 4 + call of get_weather ≈ 1,200");
  const image = part({ kind: "image", label: "image of 1,024 × 768", n_tokens: 765, mark: "≈" });
  assert.equal(costOfMessage([image], [0, 0, 1]), "≈ 765 tokens");
});

test("a message that a template leaves out is reported, and one counted with the next is not", () => {
  assert.equal(costOfMessage([], [0, 0, 1]), "0 tokens: the template leaves this message out");
  assert.equal(costOfMessage([], [0, 0, 0]), "");
  assert.equal(costOfMessage([], []), "", "its cost has not come yet");
  assert.equal(costOfMessage([part({ n_tokens: 1 })], [1, 0, 2]), "1 token, with the previous message");
  assert.equal(costOfMessage([part({ n_tokens: 9 })], [9, 4, 3]), "9 tokens, with the previous 2 messages");
});

test("chats saved by an earlier version keep their tools, images and roles", () => {
  const extras = [{ label: "tool f", text: "{}", is_tool: true, n_tokens: 1 }, { label: "call of f", text: "{}", is_tool: false, n_tokens: 1 }];
  const messages = [{ role: "asha", content: "Hi", fields: '{"role":"user","name":"asha"}', left_out: ["image_url", "audio"] }];
  const media = [{ kind: "image", width: 0, height: 0, detail: "" }, { kind: "audio", width: 0, height: 0, detail: "" }];
  assert.deepEqual(asChat({ messages, extras }), { messages: [{ role: "user", content: "Hi", fields: messages[0].fields, media }], tools: [{ name: "f", text: "{}" }], elsewhere: [] });
  const now = { messages: [{ role: "user", content: "", fields: "", media }], tools: [], elsewhere: ["the stored prompt"] };
  assert.deepEqual(asChat(now), now);
});
