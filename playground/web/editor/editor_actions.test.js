import assert from "node:assert/strict";
import { test } from "node:test";
import { cutPieces, EditorActions } from "./editor_actions.js";

test("pieces take their tokens from the columns, one after the other", () => {
  const pieces = cutPieces([[2, 5], [0, 0], [1, 3]], Uint32Array.of(7, 8, 9), Uint32Array.of(2, 3, 3));
  assert.deepEqual(pieces.map(({ nTokens, nUtf16, ids, lengths }) => [nTokens, nUtf16, [...ids], [...lengths]]), [
    [2, 5, [7, 8], [2, 3]], [0, 0, [], []], [1, 3, [9], [3]],
  ]);
});

test("an edit goes out under the names that the server reads", async ({ mock }) => {
  const fetch = mock.method(globalThis, "fetch", () => Promise.reject(new TypeError("no server")));
  await assert.rejects(new EditorActions(() => "/session/x").edit({ version: 1, start: 2, nDeleted: 3, inserted: "d" }));
  const [url, request] = fetch.mock.calls[0].arguments;
  assert.deepEqual([url, JSON.parse(String(request?.body))], ["/session/x/edit", { version: 1, start: 2, n_deleted: 3, inserted: "d" }]);
});
