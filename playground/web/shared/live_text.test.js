import assert from "node:assert/strict";
import { test } from "node:test";
import { cutPieces, LiveText } from "./live_text.js";
import { RefusedError, RETRY_MS } from "./wire.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A page and its server, which has a text for each session it knows, counts versions, and answers in its own time. */
function page() {
  const server = { texts: /** @type {Map<string, string>} */ (new Map([["a", "example"]])), version: 0, refusal: /** @type {Error | null} */ (null), isAnswerLost: false };
  const asked = /** @type {string[]} */ ([]), shown = /** @type {string[]} */ ([]), said = /** @type {string[]} */ ([]);
  const take = async (/** @type {string} */ url, /** @type {string} */ text) => {
    await settle();
    if (server.refusal) throw server.refusal;
    if (!server.texts.has(url)) throw new RefusedError("unknown", 410);
    server.texts.set(url, text);
    server.version += 1;
    if (server.isAnswerLost) throw new RefusedError("away", 0);
    return { version: server.version };
  };
  const live = new LiveText({
    open: (url, text, isNew) => (asked.push(`open ${url}${isNew ? " anew" : ""}: ${text}`), take(url, text)),
    edit(url, { version, start, n_deleted, inserted }) {
      asked.push(`edit ${start} ${n_deleted} ${inserted}`);
      if (version !== server.version) return Promise.reject(new RefusedError("another version", 409));
      const text = server.texts.get(url) ?? "";
      return take(url, text.slice(0, start) + inserted + text.slice(start + n_deleted));
    },
    onOpen: (_answer, text) => shown.push(`all of ${text}`),
    onEdit: (_answer, text) => shown.push(text),
    askForSession: () => said.push("ask"),
    onProblem: (sentence) => said.push(sentence),
  });
  const type = (/** @type {string} */ text, url = "a", revision = 0) => live.push({ url, revision }, text);
  return { server, asked, shown, said, live, type };
}

test("a session is opened with the page's text, and then gets each edit; the newest text wins", async () => {
  const { server, asked, shown, live, type } = page(), text = "Quick brown foxes\r\n😀";
  for (let n = 1; n <= text.length; n++) void type(text.slice(0, n));
  await live.settled();
  assert.deepEqual(asked, ["open a anew: Q", `edit 1 0 ${text.slice(1)}`]);
  assert.deepEqual(shown, ["all of Q", text]);
  assert.equal(server.texts.get("a"), text);
  await type(text);
  assert.equal(asked.length, 2, "the server has it already");
});

test("other tokenizers are asked for everything again, of which only the newest is shown", async () => {
  const { asked, shown, live, type } = page();
  await type("text");
  void type("text", "a", 1);
  void type("text", "a", 2);
  await live.settled();
  assert.deepEqual(asked, ["open a anew: text", "open a: text", "open a: text"]);
  assert.deepEqual(shown, ["all of text", "all of text"]);
});

test("an edit of another version opens the session again with the whole text", async () => {
  const { server, asked, type } = page();
  await type("one");
  server.version += 1; // the page has changed its text
  await type("one two");
  assert.deepEqual(asked.slice(1), ["edit 3 0  two", "open a: one two"]);
  assert.equal(server.texts.get("a"), "one two");
});

test("an edit whose answer was lost is not made twice", async ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { server, asked, said, live, type } = page();
  await type("a");
  server.isAnswerLost = true;
  await type("ab");
  server.isAnswerLost = false;
  timers.tick(RETRY_MS);
  await live.settled();
  assert.deepEqual(asked.slice(1), ["edit 1 0 b", "open a anew: ab"]);
  assert.deepEqual([server.texts.get("a"), ...said], ["ab", "", "away", ""]);
});

test("what was typed while the server restarted is in the session that the page then gets", async ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { server, asked, said, live, type } = page();
  await type("a");
  server.texts = new Map();
  await type("ab");
  await type("abc");
  assert.deepEqual(said, ["", "ask", "unknown", "unknown"]);
  server.texts.set("b", "example");
  void type("abc", "b");
  await live.settled();
  timers.tick(100 * RETRY_MS);
  await live.settled();
  assert.deepEqual([asked.at(-1), server.texts.get("b"), said.at(-1)], ["open b anew: abc", "abc", ""]);
});

test("settings go with the text again when another request shows that the session was lost", async ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { asked, live, type } = page();
  await type("a");
  live.heed(new RefusedError("busy", 429));
  timers.tick(RETRY_MS);
  await live.settled();
  live.heed(new RefusedError("away", 0));
  timers.tick(RETRY_MS);
  await live.settled();
  assert.deepEqual(asked.slice(1), ["open a anew: a"]);
});

test("a refused text is reported, and the next edit starts from the last acknowledged text", async () => {
  const { server, said, type } = page();
  await type("kept");
  server.refusal = new RefusedError("too long", 413);
  await type("kept and refused");
  server.refusal = null;
  await type("kept on");
  assert.deepEqual([server.texts.get("a"), ...said], ["kept on", "", "too long", ""]);
});

test("pieces are read from consecutive parts of the columns", () => {
  const pieces = cutPieces([[2, 5, 0], [0, 1, 1], [1, 3, 2]], [Uint32Array.of(7, 8, 9), Uint32Array.of(2, 3, 3), Uint32Array.of(1, 0, 5)]);
  assert.deepEqual(pieces.map(({ nTokens, nUtf16, ids, lengths, marks = [] }) => [nTokens, nUtf16, [...ids], [...lengths], [...marks]]), [
    [2, 5, [7, 8], [2, 3], []], [0, 1, [], [], [1]], [1, 3, [9], [3], [0, 5]],
  ]);
});
