import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOfEdit, cutPieces } from "./text_edits.js";

test("pieces take their tokens from the columns, one after the other", () => {
  const pieces = cutPieces([[2, 5, 0], [0, 1, 1], [1, 3, 2]], [Uint32Array.of(7, 8, 9), Uint32Array.of(2, 3, 3), Uint32Array.of(1, 0, 5)]);
  assert.deepEqual(pieces.map(({ nTokens, nUtf16, ids, lengths, marks = [] }) => [nTokens, nUtf16, [...ids], [...lengths], [...marks]]), [
    [2, 5, [7, 8], [2, 3], []], [0, 1, [], [], [1]], [1, 3, [9], [3], [0, 5]],
  ]);
});

test("an edit is posted under the names that the server knows", () => {
  assert.deepEqual(bodyOfEdit({ version: 3, start: 1, nDeleted: 2, inserted: "x" }), { version: 3, start: 1, n_deleted: 2, inserted: "x" });
});
