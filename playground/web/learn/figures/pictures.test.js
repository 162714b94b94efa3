import assert from "node:assert/strict";
import { test } from "node:test";
import { bitsOf, bytesOf, patchOf, pictureOf } from "./pictures.js";

test("a picture that is cut into patches comes back from their numbers", () => {
  const bytes = Uint8Array.from({ length: 3 * 64 }, (_, n) => n);
  const patches = [0, 1, 2, 3].map((n) => patchOf(bytes, 8, 4, n));
  assert.deepEqual([...patches[1].subarray(0, 3)], [12, 13, 14]);
  assert.deepEqual([...patches[2].subarray(0, 3)], [96, 97, 98]);
  const codebook = Uint8Array.from([...patches[3], ...patches[1], ...patches[0], ...patches[2]]);
  assert.deepEqual(pictureOf([2, 1, 3, 0], codebook, 4, 8), bytes);
});

test("one of 64 takes six bits, and of one it takes one still", () => {
  assert.deepEqual([1, 2, 16, 64, 65, 256].map(bitsOf), [1, 1, 4, 6, 7, 8]);
});

test("base64 gives every byte back", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
  assert.deepEqual(bytesOf(btoa(String.fromCharCode(...bytes))), bytes);
});
