import assert from "node:assert/strict";
import { test } from "node:test";
import { cutPieces } from "./editor_actions.js";

test("pieces take their tokens from the columns, one after the other", () => {
  const pieces = cutPieces([[2, 5], [0, 0], [1, 3]], Uint32Array.of(7, 8, 9), Uint32Array.of(2, 3, 3));
  assert.deepEqual(pieces.map(({ nTokens, nUtf16, ids, lengths }) => [nTokens, nUtf16, [...ids], [...lengths]]), [
    [2, 5, [7, 8], [2, 3]], [0, 0, [], []], [1, 3, [9], [3]],
  ]);
});
