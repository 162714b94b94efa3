import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedError } from "../shared/wire.js";
import { Keeper, packText } from "./keeper.js";

/** @typedef {import("../picker/thing_store.js").Kept} Kept */

/** A browser's store, and what a tab's keeper says and asks. @param {Map<string, Kept>} things @param {string} tab @param {number} now */
function visit(things = new Map(), tab = "a", now = 0) {
  /** @type {string[]} */
  const asked = [];
  /** @type {Map<string, string>} */
  const told = new Map();
  /** @type {Map<string, Error>} what goes wrong, by name */
  const faults = new Map();
  const fail = (/** @type {string} */ name) => {
    const fault = faults.get(name);
    if (fault) throw fault;
  };
  const store = {
    all: async () => new Map(things),
    put: async (/** @type {string} */ key, /** @type {Kept} */ kept) => {
      fail(key);
      things.set(key, kept);
    },
    remove: async (/** @type {string} */ key) => void things.delete(key),
  };
  const server = {
    fetch: async (/** @type {string} */ name) => {
      asked.push(name);
      fail(name);
      return `<${name}>`;
    },
    giveBack: async (/** @type {string} */ name, /** @type {string} */ digest, /** @type {string} */ packed) => {
      asked.push(`${name} ${digest} ${packed}`);
      fail(name);
    },
  };
  const tell = (/** @type {string} */ name, /** @type {string} */ sentence) => void (sentence ? told.set(name, sentence) : told.delete(name));
  /** @type {{name?: string, text?: string}} what was typed before the reload */
  let typed = {};
  const memory = { read: () => typed, forget: () => void (typed = {}), write: (/** @type {typeof typed} */ last) => void (typed = last) };
  return { keeper: new Keeper({ store, tab, tell, typed: memory, now: () => now }), server, asked, told, things, faults, memory };
}

test("what is new is kept once, and anew when it has changed", async () => {
  const { keeper, server, asked, things } = visit();
  await keeper.keep({ choices: "1", "tokenizer/mine": "x" }, server);
  await keeper.keep({ choices: "1", "tokenizer/mine": "x" }, server);
  assert.deepEqual(asked, ["choices", "tokenizer/mine"]);
  await keeper.keep({ choices: "2", "tokenizer/mine": "x" }, server);
  assert.deepEqual(asked.slice(2), ["choices"]);
  assert.deepEqual([...things], [
    ["tab/a/choices", { digest: "2", packed: "<choices>", at: 0 }],
    ["tokenizer/mine", { digest: "x", packed: "<tokenizer/mine>", at: 0 }],
  ]);
});

test("a reload gives back tokenizers first, and fetches nothing of it again", async () => {
  const before = visit();
  await before.keeper.keep({ choices: "1", "tokenizer/mine": "x" }, before.server);
  const { keeper, server, asked } = visit(before.things);
  assert.equal(await keeper.giveBack(server), 2);
  await keeper.keep({ choices: "1", "tokenizer/mine": "x" }, server);
  assert.deepEqual(asked, ["tokenizer/mine x <tokenizer/mine>", "choices 1 <choices>"]);
});

test("another tab gets the tokenizers, and neither choices nor data", async () => {
  const before = visit();
  await before.keeper.keep({ choices: "1", "formats.text": "2", "tokenizer/mine": "x" }, before.server);
  const { keeper, server, asked } = visit(before.things, "b");
  assert.equal(await keeper.giveBack(server), 1);
  assert.deepEqual(asked, ["tokenizer/mine x <tokenizer/mine>"]);
});

test("what was removed on the page is forgotten, and what never came back stays", async () => {
  const { keeper, server, things } = visit(new Map([["tokenizer/other", { digest: "o", packed: "", at: 0 }]]));
  await keeper.giveBack(server);
  await keeper.keep({ "tokenizer/mine": "x" }, server);
  await keeper.keep({}, server);
  assert.deepEqual([...things.keys()], ["tokenizer/other"]);
});

test("what the server refuses is told, not asked for again, and its older state does not come back", async () => {
  const { keeper, server, asked, told, things, faults } = visit();
  await keeper.keep({ "formats.text": "1" }, server);
  faults.set("formats.text", new RefusedError("the data of Formats is too large", 413));
  await keeper.keep({ "formats.text": "2" }, server);
  await keeper.keep({ "formats.text": "2" }, server);
  assert.deepEqual([asked.length, told.get("formats.text"), things.size], [2, "the data of Formats is too large.", 0]);
  faults.clear();
  await keeper.keep({ "formats.text": "3" }, server);
  assert.deepEqual([told.size, things.size], [0, 1]);
});

test("a full browser is told; one that forbids keeping is left alone", async () => {
  const { keeper, server, told, faults } = visit();
  faults.set("tokenizer/mine", new DOMException("full", "QuotaExceededError"));
  await keeper.keep({ "tokenizer/mine": "x" }, server);
  assert.match(told.get("tokenizer/mine") ?? "", /no room to keep mine: a reload of this tab loses it/);
  faults.set("tokenizer/mine", new DOMException("forbidden", "SecurityError"));
  await keeper.keep({ "tokenizer/mine": "y" }, server);
  assert.equal(told.size, 0);
});

test("what cannot be opened again is told, and the rest comes back", async () => {
  const before = visit();
  await before.keeper.keep({ choices: "1", "tokenizer/bad": "x" }, before.server);
  const { keeper, server, told, faults } = visit(before.things);
  faults.set("tokenizer/bad", new RefusedError("bad was kept, and cannot be opened again", 400));
  assert.equal(await keeper.giveBack(server), 1);
  assert.equal(told.get("tokenizer/bad"), "bad was kept, and cannot be opened again.");
});

test("what a closed tab has left is thrown away after thirty days", async () => {
  const day = 86_400_000, things = new Map([["tab/old/choices", { digest: "", packed: "", at: 0 }], ["tab/new/choices", { digest: "", packed: "", at: 20 * day }]]);
  const { keeper, server } = visit(things, "a", 31 * day);
  assert.equal(await keeper.giveBack(server), 0);
  assert.deepEqual([...things.keys()], ["tab/new/choices"]);
});

test("what was typed last comes back beside what was kept of it, until that is kept", async () => {
  const before = visit();
  await before.keeper.keep({ choices: "1", "formats.text": "2" }, before.server);
  const { keeper, server, asked, memory } = visit(before.things);
  memory.write({ name: "formats.text", text: "a: 1" });
  assert.equal(await keeper.giveBack(server), 3);
  assert.deepEqual(asked, ["choices 1 <choices>", "formats.text 2 <formats.text>", `formats.text/typed  ${await packText("a: 1")}`]);
  assert.equal(memory.read().text, "a: 1");
  await keeper.keep({ choices: "1", "formats.text": "3" }, server);
  assert.deepEqual([asked.at(-1), memory.read()], ["formats.text", {}]);
});

test("a text is packed as the server packs it", async () => {
  const bytes = Uint8Array.from(atob(await packText("é".repeat(9000))), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  assert.equal(await new Response(stream).text(), "é".repeat(9000));
});
