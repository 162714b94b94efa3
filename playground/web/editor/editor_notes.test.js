import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenNote, isApiChat, specialNote } from "./editor_notes.js";

test("special tokens that a text spells are named, with both counts", () => {
  const totals = { tokenizer: "gpt2", version: 1, n_tokens: 9, categories: [], counts: { n_characters: 0, n_bytes: 0, n_words: 0, n_lines: 0 } };
  assert.equal(specialNote([], [], totals), "");
  const sentence = specialNote(["<|a|>", "<|b|>"], [], { ...totals, n_tokens_plain: 1234, n_tokens_special: 8 });
  assert.match(sentence, /“<\|a\|>”, “<\|b\|>”: 1,234 tokens as plain text, 8 as special tokens\./);
});

test("text that looks like a special token of another tokenizer is named, three at most", () => {
  const totals = { tokenizer: "gpt2", version: 1, n_tokens: 9, categories: [], counts: { n_characters: 0, n_bytes: 0, n_words: 0, n_lines: 0 } };
  assert.equal(specialNote([], ["<s>"], totals), "“<s>” is not a special token of gpt2: add it in the menu More, under Special tokens.");
  assert.match(specialNote([], ["<a>", "<b>"], totals), /^“<a>” and “<b>” are not special tokens of gpt2: add them in the menu More, under Special tokens\.$/);
  assert.match(specialNote(["<c>"], ["<a>", "<b>", "<s>", "<t>"], totals), /^This text contains “<c>”.* “<a>”, “<b>”, “<s>” and others are not special tokens/);
});

test("a note names invalid UTF-8 bytes only", () => {
  const bytes = (/** @type {number[]} */ ...values) => Uint8Array.from(values);
  assert.equal(brokenNote(new TextEncoder().encode("naïve 👋")), "");
  assert.equal(brokenNote(bytes()), "");
  assert.match(brokenNote(bytes(0x61, 0xe2, 0x62)), /^1 byte \(⟨E2⟩\) is not a complete character, so the text shows “�” for it\./);
  assert.match(brokenNote(bytes(0xf0, 0x9f)), /^2 bytes \(⟨F0⟩ ⟨9F⟩\) are not a complete character/);
  assert.match(brokenNote(new Uint8Array(9).fill(0xff)), /^9 bytes \(⟨FF⟩ ⟨FF⟩ ⟨FF⟩ ⟨FF⟩ ⟨FF⟩ ⟨FF⟩ …\)/);
});

test("a chat is recognized among other texts", () => {
  assert.ok(isApiChat('[{"role": "user", "content": "Hi"}]'));
  assert.ok(isApiChat('\n{"model": "gpt-4o", "messages": [{"role" : "system", "content": null}], "tools": []}'));
  assert.ok(isApiChat("messages = [{'role': 'user', 'content': None}]"));
  assert.ok(isApiChat(`$ curl https://x -d '{"contents": [{"role": "model", "parts": []}]}'`));
  assert.ok(isApiChat(`curl https://x/models/gemini-2.5-flash:generateContent -d '{"contents": [{"parts": [{"text": "Hi"}]}]}'`));
  assert.ok(isApiChat('{"model": "gpt-4.1", "input": "Say hi"}'));
  for (const other of ["", "Hi", "[1]", "[]", '{"messages": []}', '{"role": "user"}', '[{"role": "user"}, {"name": "x"}]', '[{"role": "user"}', '{"messages": {"role": "user"}}', 'She said {"role": "user"}', "null", '[null, {"role": "user"}]']) {
    assert.equal(isApiChat(other), false, other);
  }
});
