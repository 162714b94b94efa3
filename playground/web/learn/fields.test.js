import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Of, middleOf, withoutAlpha } from "./fields.js";
import { fromBase64 } from "../shared/wire.js";

test("the middle square of a picture is used", () => {
  assert.deepEqual(middleOf(300, 100), { x: 100, y: 0, length: 100 });
  assert.deepEqual(middleOf(100, 300), { x: 0, y: 100, length: 100 });
});

test("pixels lose their alpha and survive base64", () => {
  const pixels = withoutAlpha(Uint8ClampedArray.of(1, 2, 3, 255, 4, 5, 6, 255));
  assert.deepEqual([...pixels], [1, 2, 3, 4, 5, 6]);
  const many = Uint8Array.from({ length: 20_000 }, (_, n) => n % 251);
  assert.deepEqual(fromBase64(base64Of(many)), many);
});
