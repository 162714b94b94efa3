import assert from "node:assert/strict";
import { test } from "node:test";

import { headerEnd, withoutWeights } from "./gguf_header.js";

const long = (/** @type {number} */ value) => [...new Uint8Array(new BigUint64Array([BigInt(value)]).buffer)];
const word = (/** @type {number} */ value) => [...new Uint8Array(new Uint32Array([value]).buffer)];
const text = (/** @type {string} */ value) => [...long(value.length), ...new TextEncoder().encode(value)];
const start = (/** @type {number} */ entries) => [71, 71, 85, 70, ...word(3), ...long(0), ...long(entries)];
const HEADER = [
  ...start(3), ...text("one"), ...word(4), ...word(7), ...text("two"), ...word(9), ...word(8), ...long(2), ...text("a"), ...text("bc"),
  ...text("three"), ...word(9), ...word(6), ...long(3), ...Array.from({ length: 12 }, () => 0),
];

test("the header of a model file is sent without the weights after it", async () => {
  const file = new File([new Uint8Array([...HEADER, ...Array.from({ length: 5000 }, () => 9)])], "model.gguf");
  const sent = await withoutWeights(file);
  assert.deepEqual([sent.name, [...new Uint8Array(await sent.arrayBuffer())]], ["model.gguf", HEADER]);
  const other = new File(["{}"], "tokenizer.json");
  assert.equal(await withoutWeights(other), other);
});

test("a header that goes on, or has an unknown type, has no end", () => {
  assert.equal(headerEnd(new Uint8Array(HEADER).buffer), HEADER.length);
  for (let size = 0; size < HEADER.length; size++) assert.equal(headerEnd(new Uint8Array(HEADER.slice(0, size)).buffer), null);
  assert.equal(headerEnd(new Uint8Array([...start(1), ...text("x"), ...word(9), ...word(9), ...long(1)]).buffer), null);
  assert.equal(headerEnd(new Uint8Array([...start(2 ** 52), ...text("x")]).buffer), null);
});
