import assert from "node:assert/strict";
import { test } from "node:test";
import { linkTo } from "./address_link.js";

test("a link carries any text", () => {
  const text = "héllo & <b>\nनमस्ते + 100%";
  const link = linkTo("http://x/compare", { text, tokenizers: "gpt2,cl100k_base" });
  assert.equal(new URL(link).searchParams.get("text"), text);
  assert.equal(new URL(link).searchParams.get("tokenizers"), "gpt2,cl100k_base");
});

test("a link of 8,000 characters is given, a longer one is refused with its length", () => {
  const rest = "http://x/y?text=".length;
  assert.equal(linkTo("http://x/y", { text: "a".repeat(8000 - rest) }).length, 8000);
  assert.throws(() => linkTo("http://x/y", { text: "a".repeat(8001 - rest) }), /too long for a link: 8,001 characters, and links over 8,000/);
});
