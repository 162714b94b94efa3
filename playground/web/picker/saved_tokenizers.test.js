import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedError } from "../shared/wire.js";
import { SavedTokenizers, ThingStore } from "./saved_tokenizers.js";

/** A request that succeeds, or fails for a reason. @param {any} result @param {Error} [error] */
function requestOf(result, error) {
  const request = Object.assign(new EventTarget(), { result, error });
  queueMicrotask(() => request.dispatchEvent(new Event(error ? "error" : "success")));
  return request;
}

/** A browser's databases: `opens` says for each in turn whether it opens, opens closed, or fails. @param {("open" | "closed" | "fails")[]} opens */
function storeOf(...opens) {
  /** @type {Map<string, unknown>} */
  const things = new Map();
  const objects = { put: (/** @type {unknown} */ kept, /** @type {string} */ key) => requestOf(things.set(key, kept)) };
  const open = () => {
    const how = opens.shift();
    const transaction = () => {
      if (how === "closed") throw new DOMException("it is closing", "InvalidStateError");
      return { objectStore: () => objects };
    };
    return requestOf(Object.assign(new EventTarget(), { transaction, close() {} }), how === "fails" ? new Error("emptied") : undefined);
  };
  return { store: new ThingStore(() => /** @type {any} */ ({ open })), things, opens };
}

const KEPT = { digest: "d", packed: "p", at: 1 };

test("a database that failed to open or was closed is opened again", async () => {
  for (const first of /** @type {const} */ (["fails", "closed"])) {
    const { store, things } = storeOf(first, "open");
    await store.put("a", KEPT);
    await store.put("b", KEPT);
    assert.deepEqual([...things.keys()], ["a", "b"]);
  }
});

test("a browser that blocks storage is asked twice each time, and may allow it later", async () => {
  const { store, things, opens } = storeOf("fails", "fails", "open");
  await assert.rejects(store.put("a", KEPT), /emptied/);
  assert.deepEqual(opens, ["open"]);
  await store.put("a", KEPT);
  assert.deepEqual([...things.keys()], ["a"]);
});

/** A browser's store and a server, with what each was given. @param {Record<string, any>} [things] */
function visit(things = {}) {
  const all = new Map(Object.entries(things));
  const store = {
    keys: async () => [...all.keys()],
    get: async (/** @type {string} */ key) => all.get(key),
    put: async (/** @type {string} */ key, /** @type {unknown} */ thing) => void all.set(key, thing),
    remove: async (/** @type {string} */ key) => void all.delete(key),
  };
  /** @type {[string, any][]} */
  const asked = [];
  const ask = async (/** @type {string} */ action, /** @type {any} */ body) => {
    asked.push([action, body]);
    if (body.name === "huge") throw new RefusedError("huge is too large for this browser to keep", 400);
    return { packed: `packed ${body.name}`, about: "BPE" };
  };
  return { kept: new SavedTokenizers(store, ask), all, asked };
}

test("new tokenizers are saved once, and removed when the visitor removes them", async () => {
  const { kept, all, asked } = visit();
  await kept.follow({ mine: "1" });
  await kept.follow({ mine: "1" });
  assert.equal(asked.length, 1);
  assert.equal(all.get("tokenizer/mine").packed, "packed mine");
  assert.deepEqual([...(await kept.list())], [["mine", "BPE"]]);
  await kept.follow({ mine: "2" });
  assert.equal(all.get("tokenizer/mine").digest, "2");
  await kept.follow({});
  assert.deepEqual([...all], []);
});

test("a renamed tokenizer is saved under its new name without being fetched again", async () => {
  const { kept, all, asked } = visit();
  await kept.follow({ mine: "1" });
  await kept.rename("mine", "ours");
  assert.deepEqual([...all.keys()].toSorted(), ["about/ours", "tokenizer/ours"]);
  await kept.follow({ ours: "1" });
  assert.equal(asked.length, 1);
});

test("a tokenizer that can't be saved is reported, and no older version comes back for it", async () => {
  const { kept, all } = visit({ "tokenizer/huge": { digest: "0", packed: "old", at: 1 } });
  assert.deepEqual(await kept.follow({ huge: "1" }), ["huge is too large for this browser to keep."]);
  assert.deepEqual([...all], []);
});

test("a saved tokenizer is sent to the server when it is chosen, and is not fetched again", async () => {
  const { kept, asked } = visit({ "tokenizer/old": { digest: "7", packed: "p", at: 1 } });
  assert.deepEqual([...(await kept.list())], [["old", ""]], "kept by an earlier version of the app");
  assert.equal(await kept.giveBack("old"), true);
  assert.deepEqual(asked, [["give_back", { name: "old", version: "7", packed: "p" }]]);
  await kept.follow({ old: "7" });
  assert.equal(asked.length, 1);
  assert.equal(await kept.giveBack("none"), false);
});

test("a browser that saves nothing has no tokenizers and gives no message", async () => {
  const fails = async () => Promise.reject(new Error("forbidden"));
  const kept = new SavedTokenizers({ keys: fails, get: fails, put: fails, remove: fails }, async () => ({ packed: "p", about: "" }));
  assert.deepEqual([...(await kept.list())], []);
  assert.deepEqual(await kept.follow({ mine: "1" }), []);
  assert.equal(await kept.giveBack("mine"), false);
});
