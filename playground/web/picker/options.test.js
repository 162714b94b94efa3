import assert from "node:assert/strict";
import { test } from "node:test";
import { afterOpening, afterPress, matching } from "./options.js";

const entry = (/** @type {string} */ name, detail = "", /** @type {string[]} */ models = []) => ({ name, detail, n_vocab: 1, models });
const FAMILIES = [
  { title: "Yours", entries: [entry("mine", "byte-level BPE · 300 tokens")] },
  { title: "OpenAI", entries: [entry("o200k_base", "GPT-4o to GPT-5 · byte-level BPE", ["gpt-4o", "gpt-5"]), entry("gpt2", "GPT-2 · byte-level BPE", ["gpt2"])] },
  { title: "Qwen", entries: [entry("qwen3", "Qwen 2 to 3 · byte-level BPE")] },
];
const NOTHING = { name: "", sentence: "", nearest: "" };
const names = (/** @type {ReturnType<typeof matching>} */ { groups }) => groups.flatMap(({ rows }) => rows.map(({ name }) => name));

test("before anything is typed all tokenizers are listed by family", () => {
  const all = matching(FAMILIES, "", null);
  assert.deepEqual(all.groups.map(({ title }) => title), ["Yours", "OpenAI", "Qwen"]);
  assert.deepEqual([all.first, all.sentence], ["", ""]);
});

test("a part of a name, a model or a kind finds its tokenizers, and the first match is taken", () => {
  assert.deepEqual(names(matching(FAMILIES, "QWEN", null)), ["qwen3"]);
  assert.deepEqual(names(matching(FAMILIES, "byte-level", null)), ["mine", "o200k_base", "gpt2", "qwen3"]);
  assert.equal(matching(FAMILIES, "gpt2", null).first, "gpt2");
});

test("the tokenizer of a model is listed with the model that uses it", () => {
  const { groups, first } = matching(FAMILIES, "gpt-4o", null);
  assert.deepEqual([first, groups[0].rows[0].why], ["o200k_base", "gpt-4o uses o200k_base."]);
  const found = { name: "qwen3", sentence: "Qwen2.5-7B uses qwen3.", nearest: "" };
  assert.deepEqual([matching(FAMILIES, "Qwen2.5-7B", found).first, matching(FAMILIES, "Qwen2.5-7B", found).groups[0].rows[0].why], ["qwen3", found.sentence]);
});

test("an unknown name is explained, and the nearest one offered", () => {
  const found = { name: "", sentence: "No tokenizer or model is called 'gpt4o'. Did you mean gpt-4o?", nearest: "gpt-4o" };
  const { groups, first, sentence } = matching(FAMILIES, "gpt4o", found);
  assert.deepEqual([groups[0].title, first, sentence], ["Nearest name", "o200k_base", found.sentence]);
  const refused = { ...NOTHING, sentence: "Anthropic publishes no vocabulary." };
  assert.deepEqual(matching(FAMILIES, "claude", refused), { groups: [], first: "", sentence: refused.sentence });
});

test("a press chooses one, or adds to several and takes away until no more fit", () => {
  assert.deepEqual(afterPress(["a"], "b", 1), ["b"]);
  assert.deepEqual(afterPress(["a"], "b", 2), ["a", "b"]);
  assert.deepEqual(afterPress(["a", "b"], "a", 2), ["b"]);
  assert.equal(afterPress(["a", "b"], "c", 2), null);
});

test("opened files stand behind the first, and the last of the others give way", () => {
  assert.deepEqual(afterOpening(["a"], ["x", "y"], 1), { chosen: ["y"], gone: [] });
  assert.deepEqual(afterOpening(["a", "b", "c"], ["x"], 3), { chosen: ["a", "x", "b"], gone: ["c"] });
  assert.deepEqual(afterOpening(["a", "x"], ["x"], 3), { chosen: ["a", "x"], gone: [] });
  assert.deepEqual(afterOpening([], ["x"], 0), { chosen: [], gone: [] });
});
