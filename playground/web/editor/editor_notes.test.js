import assert from "node:assert/strict";
import { test } from "node:test";
import { specialNote } from "./editor_notes.js";

test("special tokens that a text spells are named, with both counts", () => {
  const totals = { tokenizer: "gpt2", version: 1, n_tokens: 9, categories: [], counts: { n_characters: 0, n_bytes: 0, n_words: 0, n_lines: 0 } };
  assert.equal(specialNote([], totals), "");
  const sentence = specialNote(["<|a|>", "<|b|>"], { ...totals, n_tokens_plain: 1234, n_tokens_special: 8 });
  assert.match(sentence, /“<\|a\|>”, “<\|b\|>”: 1,234 tokens as plain text, 8 with special tokens\./);
});
