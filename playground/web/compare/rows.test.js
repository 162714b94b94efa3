import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchRows, joinRows } from "./rows.js";

const INSIDE = 0x80000000;
const FIGURES = { tokens_saved: 0, bytes_per_token: 0, characters_per_token: 0, tokens_per_word: 0, shared_boundaries: 0, n_vocab: 0 };

/**
 * An answer as the server sends it: rows of [name, ids, starts, n_before, n_after].
 * @param {number} version
 * @param {[string, number[], number[], number?, number?][]} rows
 * @param {import("./rows.js").Answer | null} held
 * @param {number} [shift]
 */
function answer(version, rows, held, shift = 0) {
  const header = {
    version, shift, n_characters: 0, n_bytes: 0, agreement: null,
    rows: rows.map(([tokenizer_name, ids, , n_before = 0, n_after = 0]) => ({ ...FIGURES, tokenizer_name, n_tokens: n_before + ids.length + n_after, n_before, n_after })),
  };
  return joinRows(header, rows.flatMap(([, ids, starts]) => [Uint32Array.from(ids), Uint32Array.from(starts)]), held);
}

/** @param {import("./rows.js").Answer} given */
const columns = ({ rows }) => rows.map(({ ids, starts }) => [[...ids], [...starts]]);

test("a first answer has its rows whole", () => {
  const first = answer(1, [["a", [7, 8, 9], [0, 3, 5]]], null);
  assert.deepEqual(columns(first), [[[7, 8, 9], [0, 3, 5]]]);
});

test("what is kept at both ends comes from the answer before, moved by the shift", () => {
  const first = answer(1, [["a", [7, 8, 9], [0, 3, 5]], ["b", [1, 2], [0, 5]]], null);
  const second = answer(2, [["a", [4, 5], [3, 4], 1, 1], ["b", [3], [0], 0, 1]], first, 2);
  assert.deepEqual(columns(second), [[[7, 4, 5, 9], [0, 3, 4, 7]], [[3, 2], [0, 7]]]);
  assert.deepEqual(columns(first), [[[7, 8, 9], [0, 3, 5]], [[1, 2], [0, 5]]], "the answer before stays as it was");
});

test("a row that is added is no part of the answer before", () => {
  const held = answer(1, [["a", [7], [0]], ["b", [8], [0]], ["c", [9], [0]]], null);
  const more = answer(2, [["a", [7], [0]], ["b", [8], [0]], ["c", [9], [0]], ["d", [5, 6], [0, 1]]], held);
  assert.deepEqual(columns(more)[3], [[5, 6], [0, 1]]);
  const fewer = answer(3, [["d", [5, 6], [0, 1]]], more);
  assert.deepEqual(columns(fewer), [[[5, 6], [0, 1]]]);
});

test("tokens kept of a row that is not held are an error that says so", () => {
  assert.throws(() => answer(2, [["a", [], [], 1, 0]], null), /not held/);
});

test("tokens that start inside a character belong to the group before them", () => {
  const [row] = answer(1, [["a", [1, 2, 3, 4], [0, INSIDE | 0, 2, INSIDE | 2]]], null).rows;
  assert.deepEqual([[...row.positions], [...row.firsts], row.nTokens], [[0, 2], [0, 2], 4]);
});

test("the mark of a token inside a character stays when it is moved", () => {
  const held = answer(1, [["a", [1, 2, 3], [0, 2, (INSIDE | 2) >>> 0]]], null);
  const moved = answer(2, [["a", [5], [0], 0, 2]], held, 3);
  assert.deepEqual(columns(moved)[0][1], [0, 5, (INSIDE | 5) >>> 0]);
});

test("the server is told which answer is held", async ({ mock }) => {
  const fetch = mock.method(globalThis, "fetch", () => Promise.reject(new TypeError("no server")));
  await assert.rejects(fetchRows("/session/x", "a", null));
  await assert.rejects(fetchRows("/session/x", "ab", answer(7, [], null)));
  const bodies = fetch.mock.calls.map(({ arguments: [, request] }) => JSON.parse(String(request?.body)));
  assert.deepEqual(bodies, [{ text: "a", held: null }, { text: "ab", held: 7 }]);
});
