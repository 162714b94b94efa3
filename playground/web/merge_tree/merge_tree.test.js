import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedError, RETRY_MS } from "../shared/wire.js";
import { MergeTreeSync } from "./merge_tree.js";
import { notDrawn } from "./played_trees.js";

const kind = (/** @type {string} */ svg) => /** @type {any} */ ({ svg });
const settle = () => new Promise((resolve) => setImmediate(resolve));

/**
 * A page whose session answers in `epoch` with a tree for each letter, the new ones alone; null while it is away, and
 * 410 while it knows no session.
 */
function page() {
  const server = { epoch: /** @type {string | null} */ ("one"), isKnown: true, sent: /** @type {Set<string>} */ (new Set()) };
  const asked = /** @type {string[]} */ ([]), said = /** @type {string[]} */ ([]), shown = /** @type {string[]} */ ([]);
  const sync = new MergeTreeSync({
    async send(_url, { text, epoch }) {
      asked.push(`${text} in ${epoch || "none"}`);
      if (server.epoch === null) throw new RefusedError("away", 0);
      if (!server.isKnown) throw new RefusedError("unknown", 410);
      if (epoch !== server.epoch) server.sent = new Set();
      const letters = [...text], fresh = letters.filter((letter) => !server.sent.has(letter));
      for (const letter of fresh) server.sent.add(letter);
      const number = (/** @type {string} */ letter) => letter.charCodeAt(0);
      const made = Object.fromEntries(fresh.map((letter) => [number(letter), kind(letter)]));
      return /** @type {any} */ ({ epoch: server.epoch, pretokens: letters.map(number), new: made });
    },
    askForSession: () => said.push("lost"),
    onAnswer: (_answer, kinds, { text }) => shown.push(`${text}: ${kinds.map(({ svg }) => svg).join(" ")}`),
    onProblem: (sentence) => said.push(sentence),
  });
  const type = (/** @type {string} */ text) => sync.requests.push({ url: "u", text, heightBy: "depth" });
  return { server, asked, said, shown, sync, type };
}

test("the count says how many tokens cover no text", () => {
  assert.deepEqual([0, 1, 1200].map(notDrawn), ["", " (1 covers no text and is not drawn)", " (1,200 cover no text and are not drawn)"]);
});

test("trees that the browser already has are not sent", async () => {
  const { asked, shown, type } = page();
  await type("ab");
  await type("abca");
  assert.deepEqual(shown, ["ab: a b", "abca: a b c a"]);
  assert.deepEqual(asked, ["ab in none", "abca in one"]);
});

test("text typed while the server restarts is sent once it answers", async ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { server, asked, said, shown, type } = page();
  await type("a");
  server.epoch = null;
  await type("ab");
  await type("abc");
  timers.tick(RETRY_MS);
  await settle();
  Object.assign(server, { epoch: "two", isKnown: false, sent: new Set() });
  timers.tick(RETRY_MS);
  await settle();
  assert.deepEqual(shown, ["a: a"]);
  assert.deepEqual(said, ["", "away", "away", "away", "lost", "unknown"]);
  server.isKnown = true; // the page has run and given another session
  timers.tick(RETRY_MS);
  await settle();
  assert.deepEqual(shown.slice(1), ["abc: a b c"]);
  assert.equal(said.at(-1), "");
  assert.deepEqual(asked.slice(1), ["ab in one", "abc in none", "abc in none", "abc in none", "abc in none"]);
  timers.tick(100 * RETRY_MS);
  await settle();
  assert.equal(asked.length, 6, "who is answered asks no more");
});
