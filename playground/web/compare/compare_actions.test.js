import assert from "node:assert/strict";
import { test } from "node:test";
import { CompareActions } from "./compare_actions.js";

/** An answer as the server packs it. @param {object} header @param {number[][]} columns */
function packed(header, columns) {
  const head = new TextEncoder().encode(JSON.stringify({ ...header, columns: columns.map((column) => column.length) }).padEnd(400));
  const numbers = Uint32Array.from([head.length, ...columns.flat()]);
  return new Response(new Blob([numbers.slice(0, 1), head, numbers.slice(1)]));
}

test("an edit goes out under the names that the server reads, and each row gets its own columns", async ({ mock }) => {
  const rows = [{ first: 1, n_removed: 2, pieces: [[2, 3, 0], [1, 1, 0]] }, { first: 0, n_removed: 1, pieces: [[1, 4, 2]] }];
  const columns = [[7, 8, 9], [1, 2, 1], [], [5], [4], [0, 8]];
  const fetch = mock.method(globalThis, "fetch", async () => packed({ version: 6, rows }, columns));
  const answer = await new CompareActions(() => "/session/x").edit({ version: 5, start: 2, nDeleted: 3, inserted: "d" });
  const [url, request] = /** @type {any[]} */ (fetch.mock.calls[0].arguments);
  assert.deepEqual([url, JSON.parse(request.body)], ["/session/x/edit", { version: 5, start: 2, n_deleted: 3, inserted: "d" }]);
  assert.equal(answer.version, 6);
  const shown = answer.rows.map(({ first, n_removed, pieces }) => [first, n_removed, pieces.map(({ nTokens, nUtf16, ids, lengths, marks = [] }) => [nTokens, nUtf16, [...ids], [...lengths], [...marks]])]);
  assert.deepEqual(shown, [[1, 2, [[2, 3, [7, 8], [1, 2], []], [1, 1, [9], [1], []]]], [0, 1, [[1, 4, [5], [4], [0, 8]]]]]);
});
