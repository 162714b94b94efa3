import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { addressOf, askForPayload, onShare, packPayload, readOldLink, unpackPayload } from "./address.js";

const TEXT = "An emoji 👩‍👩‍👧, a tab\t, <b> & \r\n";

test("a packed payload is unpacked unchanged", async () => {
  const payload = { page: "tokenize", text: TEXT.repeat(2_000), mode: "text", ids: null };
  assert.deepEqual(await unpackPayload(await packPayload(payload)), payload);
  const varied = { page: "tokenize", text: Array.from({ length: 60_000 }, (_, n) => String.fromCharCode(33 + ((n * n * 7919) >> 3) % 90)).join("") };
  assert.deepEqual(await unpackPayload(await packPayload(varied)), varied);
});

test("addresses with a missing, damaged or too large payload give null", async () => {
  const hash = await packPayload({ page: "compare", text: TEXT });
  for (const bad of ["", "#section", "#t=", "#t=!!", hash.slice(0, -6), await packPayload(/** @type {any} */ ("no page")), await packPayload(/** @type {any} */ ({ page: "compare", text: 5 }))]) {
    assert.equal(await unpackPayload(bad), null);
  }
  assert.equal(await unpackPayload(await packPayload({ page: "compare", text: "a".repeat(13_000_000) })), null);
});

test("an address whose values have the wrong shape gives null, as a damaged one", async () => {
  const message = { role: "user", content: "Hi", fields: '{"name": "Ada"}', media: [{ kind: "image", width: 1, height: 1, detail: "" }] };
  const valid = {
    page: "tokenize", text: null, mode: "chat", ids: null, earlier: "old", messages: [message, { role: "Ada", content: "", left_out: ["image"] }],
    tools: [{ name: "f", text: "{}" }], elsewhere: ["a stored prompt"], extras: [{ is_tool: true, label: "tool f", text: "{}" }], cutting: { own: "", off: [1] },
  };
  assert.deepEqual(await unpackPayload(await packPayload(/** @type {any} */ (valid))), valid);
  const messages = [null, 5, { role: 1, content: {} }, { role: "user" }, { ...message, fields: "{" }, { ...message, fields: "null" }, { ...message, media: [null] }, { ...message, left_out: 1 }];
  const wrong = [
    ...messages.map((each) => ({ messages: [message, each] })),
    { messages: {} }, { ids: 5 }, { earlier: [] }, { tools: [null] }, { tools: [{ name: "f", text: {} }] }, { elsewhere: {} }, { extras: [{ is_tool: true }] }, { cutting: {} }, { cutting: { own: 1, off: [] } },
  ];
  for (const values of wrong) assert.equal(await unpackPayload(await packPayload(/** @type {any} */ ({ ...valid, ...values }))), null, JSON.stringify(values));
});

test("a page's live component provides the payload; a page without one has none", async () => {
  const page = new EventTarget(), ending = new AbortController();
  onShare(ending.signal, async () => ({ page: "compare", text: "now" }), page);
  assert.deepEqual(await askForPayload(page), { page: "compare", text: "now" });
  ending.abort();
  assert.equal(await askForPayload(page), null);
});

/** @param {unknown} state */
const packedByVersion1 = (state) => deflateSync(JSON.stringify(state)).toString("base64url");

test("a share link of version 1 becomes a current address", async () => {
  const state = { tokenizer: "gpt2", own_special: ["<u>", "<v>"], text: TEXT, mode: "chat", template_name: "Qwen3", add_generation_prompt: false, variables: "{}", ids_text: "1 2", chosen: { "budget.size": 7, "a.list": ["x", "y"] }, left_out: [] };
  for (const prefix of ["2.", ""]) {
    const said = await readOldLink("tokenize", new URLSearchParams({ share: prefix + packedByVersion1(state) }));
    const address = new URL(await addressOf("tokenize", said ?? {}), "http://host/");
    assert.equal(address.pathname, "/");
    assert.deepEqual([...address.searchParams], [["tokenizer", "gpt2"], ["special", "<u>\n<v>"], ["budget.size", "7"], ["a.list", "x"], ["a.list", "y"]]);
    assert.deepEqual(await unpackPayload(address.hash), { page: "tokenize", text: TEXT, mode: "chat", template: "Qwen3", ids: "1 2", options: { add_generation_prompt: false, variables: "{}" } });
  }
});

test("links that people shared with version 1 open on each page", async () => {
  /** @type {[string, string, string, import("./address.js").Payload | null][]} */
  const links = [
    ["tokenize", "eNqrVirJz07Ny6xKLVKyUlBKLygxUtJRUCpJrSgB8YMzEotSUxQeLFnxYMm6B0t2PFja-2DJkgdL2xVskuxiimLyUvNSlGoBqfEdSA", "/?tokenizer=gpt2", { page: "tokenize", text: "Shared नमस्ते <b>\r\nend" }],
    ["tokenize", "eNqrVirJz07Ny6xKLVKyUlBKzjE0MMiOT0osTlXSUVDKzU9JBQlnphSDuEAqviS1ogQkZGlpYKajYGhpaK5UCwDz0hQW", "/?tokenizer=cl100k_base", { page: "tokenize", mode: "ids", ids: "9906, 1917" }],
    ["compare", "eNqrVipJrShRslJQyji8MicnX0FNwSbJTklHQakkPzs1L7MqtagYKButlF5QYgQSzjcyMMiOT0osTlWKrQUAdzwTpA", "/compare?tokenizers=gpt2,o200k_base", { page: "compare", text: "héllo & <b>" }],
    ["merge_tree", "eNqrVirJz07Ny6xKLVKyUlBKzjE0MMiOT0osTlXSUVAqSa0oAQkXlxQllielFhVVgkSLS1ILgKJGtQBuOROb", "/merge_tree?tokenizer=cl100k_base", { page: "merge_tree", text: "strawberry", step: 2 }],
    ["formats", "eNqrVipJrShRslJQqo5RKs5ILEpNiQHyog11FIxia5V0FJSSM_KLU_OAYtVKaflFuYklxXol-dmpeZlVqUXFIKVKyTmGBgbZ8UmJxalKsbW1AE3nGwU", "/formats?tokenizers=cl100k_base", { page: "formats", text: '{"shared": [1, 2]}' }],
    ["train", "eNqrVkrOyC9OzVOyUqhWKilKzMzTK8tPTkyKL86sSgUKGhsY6ChAJZLziwpKi4GCSgGJxSWpCokKJakVJUpw-QKQaApIPjExMSkFRCQmK9XWAgCQgSFX", "/train?train.vocab_size=300&train.corpus=Paste+a+text&text=aaabdaaabac", null],
  ];
  for (const [page, share, path, payload] of links) {
    const said = await readOldLink(page, new URLSearchParams({ share: `2.${share}` }));
    const address = new URL(await addressOf(page, said ?? {}), "http://host/");
    assert.equal(decodeURIComponent(address.pathname + address.search), path);
    assert.deepEqual(await unpackPayload(address.hash), payload);
  }
});

test("links older than version 1 are read, and other addresses are left alone", async () => {
  const trees = new URLSearchParams({ text: "a b", step: "3", height: "order", tokenizer: "gpt2" });
  assert.deepEqual(await readOldLink("merge_tree", trees), { text: "a b", step: 3, height_by: "order", tokenizer: "gpt2", tokenizers: undefined });
  const data = new URLSearchParams({ data: deflateSync("[1]").toString("base64url") });
  assert.equal((await readOldLink("formats", data))?.text, "[1]");
  assert.equal((await readOldLink("compare", new URLSearchParams({ text: "a", tokenizers: "gpt2,bytes" })))?.tokenizers.length, 2);
  for (const query of ["tokenizers=gpt2", "large_type=true", "share=damaged"]) assert.equal(await readOldLink("compare", new URLSearchParams(query)), null);
});
