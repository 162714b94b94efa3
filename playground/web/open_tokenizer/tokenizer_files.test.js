import assert from "node:assert/strict";
import { test } from "node:test";
import { isBeside, isTokenizerFile } from "./tokenizer_files.js";

const PRETTY = '{\n  "version": "1.0",\n  "truncation": null,\n  "added_tokens": []';

test("a tokenizer's files are told from texts and data", async () => {
  for (const name of ["tokenizer.json", "qwen.tokenizer.json", "tokenizer (2).json", "tekken_240911.json", "a.model", "tokenizer.model.v3", "b.tiktoken",
    "vocab.bpe", "encoder.json", "vocab.txt", "bert-vocab.txt", "merges.txt", "tokenizer_config.json", "chat_template.jinja"]) {
    assert.ok(await isTokenizerFile(new File(["{}"], name)), name);
  }
  for (const name of ["notes.txt", "data.json", "customers.csv", "model.py", "README", "vocabulary.txt", "my.tiktoken.txt"]) {
    assert.ok(!(await isTokenizerFile(new File(["{}"], name))), name);
  }
});

test("a tokenizer.json is known under any name, and data that talk of versions are data", async () => {
  assert.ok(await isTokenizerFile(new File([PRETTY], "deepseek.json")));
  assert.ok(await isTokenizerFile(new File([PRETTY.replace(/\s/g, "")], "deepseek.json")));
  assert.ok(!(await isTokenizerFile(new File(['{"version": "1.0", "rows": []}'], "deepseek.json"))));
  assert.ok(!(await isTokenizerFile(new File([PRETTY], "notes.txt"))));
});

test("what goes with a tokenizer is known as such", () => {
  for (const name of ["tokenizer_config.json", "tokenizer_config (1).json", "special_tokens_map.json", "chat_template.jinja"]) assert.ok(isBeside({ name }), name);
  for (const name of ["tokenizer.json", "a.model"]) assert.ok(!isBeside({ name }), name);
});
