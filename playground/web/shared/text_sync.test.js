import assert from "node:assert/strict";
import { test } from "node:test";
import { cutPieces, TextSync } from "./text_sync.js";

/** @param {unknown} error */
const fail = (error) => {
  throw error;
};

/** A server that holds a text, answers in its own time and counts versions. */
function server() {
  /** @type {{text: string, version: number, nRequests: number, refusal: Error | null}} */
  const state = { text: "", version: 0, nRequests: 0, refusal: null };
  /** @param {import("./text_sync.js").Edit} edit */
  const send = async ({ version, start, nDeleted, inserted }) => {
    state.nRequests++;
    await new Promise((resolve) => setImmediate(resolve));
    if (state.refusal) throw state.refusal;
    assert.equal(version, state.version);
    state.text = state.text.slice(0, start) + inserted + state.text.slice(start + nDeleted);
    return { version: ++state.version };
  };
  return { state, send };
}

test("the server gets the newest text with fewer requests than keystrokes", async () => {
  const { state, send } = server();
  /** @type {string[]} */
  const shown = [];
  const sync = new TextSync({ send, onAnswer: (_, text) => void shown.push(text), onError: fail });
  const text = "Quick brown foxes\r\n😀";
  for (let n = 1; n <= text.length; n++) sync.push(text.slice(0, n));
  await sync.settled();
  assert.equal(state.text, text);
  assert.equal(shown.at(-1), text);
  assert.equal(state.nRequests, 2); // the first key, and everything typed during its request
  assert.equal(sync.isRunning, false);
});

test("a text that the server already has is not sent", async () => {
  const { state, send } = server();
  const sync = new TextSync({ send, onAnswer: () => {}, onError: fail });
  await sync.push("a");
  await sync.push("a");
  sync.reset("known", 1);
  await sync.push("known");
  assert.equal(state.nRequests, 1);
});

test("a refused text is reported once, and the next edit starts from the last acknowledged text", async () => {
  const { state, send } = server();
  /** @type {unknown[]} */
  const errors = [];
  const sync = new TextSync({ send, onAnswer: () => {}, onError: (error) => void errors.push(error) });
  await sync.push("kept");
  state.refusal = new Error("no");
  await sync.push("kept and refused");
  await sync.push("kept and refused");
  assert.deepEqual([errors.length, state.nRequests], [1, 2]);
  state.refusal = null;
  await sync.push("kept on");
  assert.equal(state.text, "kept on");
  await sync.push("kept and refused");
  assert.equal(state.text, "kept and refused", "it is asked for again once another text was taken");
});

test("pieces are read from consecutive parts of the columns", () => {
  const pieces = cutPieces([[2, 5, 0], [0, 1, 1], [1, 3, 2]], [Uint32Array.of(7, 8, 9), Uint32Array.of(2, 3, 3), Uint32Array.of(1, 0, 5)]);
  assert.deepEqual(pieces.map(({ nTokens, nUtf16, ids, lengths, marks = [] }) => [nTokens, nUtf16, [...ids], [...lengths], [...marks]]), [
    [2, 5, [7, 8], [2, 3], []], [0, 1, [], [], [1]], [1, 3, [9], [3], [0, 5]],
  ]);
});
