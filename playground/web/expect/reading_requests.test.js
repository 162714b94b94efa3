import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedError } from "../shared/wire.js";
import { readingRequests } from "./reading_requests.js";

/** @typedef {import("./reading_requests.js").Answer} Answer */

/** A server that reads two characters with each request. @param {string[]} asked */
function server(asked) {
  let read = 0;
  return async (/** @type {string} */ _url, /** @type {import("./reading_requests.js").Request} */ { parts: [text] }) => {
    read = asked.at(-1) === text ? read + 2 : 2;
    asked.push(text);
    await new Promise((resolve) => setImmediate(resolve));
    return /** @type {Answer} */ (/** @type {unknown} */ ({ n: read, is_over: read >= text.length }));
  };
}

/** @param {string} text @returns {import("./reading_requests.js").Wanted} */
const wanted = (text) => ({ url: "/session/x", body: { side: "text", parts: [text] } });
const silent = { askForSession: () => {}, onProblem: () => {} };

test("a text is asked for until it is read", async () => {
  /** @type {string[]} */
  const asked = [];
  /** @type {unknown[]} */
  const shown = [];
  const sync = readingRequests({ ...silent, send: server(asked), onAnswer: (answer) => shown.push(answer) });
  await sync.push(wanted("abcde"));
  assert.equal(asked.length, 3);
  assert.equal(shown.length, 3);
});

test("the newest text wins, and answers about older ones are not shown", async () => {
  /** @type {string[]} */
  const asked = [], /** @type {string[]} */ shown = [];
  const sync = readingRequests({ ...silent, send: server(asked), onAnswer: (_answer, { body }) => void shown.push(body.parts[0]) });
  void sync.push(wanted("abcdefgh"));
  void sync.push(wanted("abc"));
  await sync.push(wanted("abcd"));
  assert.deepEqual(asked, ["abcdefgh", "abcd", "abcd"]);
  assert.deepEqual(shown, ["abcd", "abcd"]);
});

test("nothing is shown once the text is cleared", async () => {
  /** @type {string[]} */
  const shown = [];
  const sync = readingRequests({ ...silent, send: server([]), onAnswer: (_answer, { body }) => void shown.push(body.parts[0]) });
  const asked = sync.push(wanted("abcdefgh"));
  sync.cancel();
  await asked;
  assert.deepEqual(shown, []);
});

test("a refusal is told, and the next text is asked for all the same", async () => {
  /** @type {string[]} */
  const problems = [], /** @type {string[]} */ shown = [];
  let isRefused = true;
  const sync = readingRequests({
    askForSession: () => {},
    send: async () => {
      if (isRefused) throw new RefusedError("it cannot be read", 400);
      return /** @type {Answer} */ (/** @type {unknown} */ ({ is_over: true }));
    },
    onAnswer: (_answer, { body }) => void shown.push(body.parts[0]),
    onProblem: (sentence) => void problems.push(sentence),
  });
  await sync.push(wanted("a"));
  isRefused = false;
  await sync.push(wanted("b"));
  assert.deepEqual(problems, ["it cannot be read", ""]);
  assert.deepEqual(shown, ["b"]);
  sync.end();
});
