import assert from "node:assert/strict";
import { test } from "node:test";
import { TypeSize } from "./type_size.js";

test("the size of type is kept when it is chosen, not when a tab opens or is drawn again", () => {
  /** @type {string[]} */
  const kept = [];
  const memory = { write: (/** @type {object} */ value) => void kept.push(JSON.stringify(value)), forget: () => void kept.push("forgotten") };
  const type = new TypeSize(memory);
  for (const size of /** @type {const} */ (["large", "large"])) type.show(size);
  assert.deepEqual(kept, []);
  for (const size of /** @type {const} */ (["normal", "normal", "large", "large"])) type.show(size);
  assert.deepEqual(kept, ["forgotten", '{"size":"large"}']);
});
