import assert from "node:assert/strict";
import { test } from "node:test";
import { ThingStore } from "./thing_store.js";

/** A request that succeeds, or fails for a reason. @param {any} result @param {Error} [error] */
function requestOf(result, error) {
  const request = Object.assign(new EventTarget(), { result, error });
  queueMicrotask(() => request.dispatchEvent(new Event(error ? "error" : "success")));
  return request;
}

/** A browser's bases: `opens` tells of each in turn whether it opens, opens closed, or fails. @param {("open" | "closed" | "fails")[]} opens */
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
  return { store: new ThingStore(/** @type {any} */ ({ open })), things, opens };
}

const KEPT = { digest: "d", packed: "p", at: 1 };

test("a base that did not open, or was closed, is opened anew", async () => {
  for (const first of /** @type {const} */ (["fails", "closed"])) {
    const { store, things } = storeOf(first, "open");
    await store.put("a", KEPT);
    await store.put("b", KEPT);
    assert.deepEqual([...things.keys()], ["a", "b"]);
  }
});

test("a browser that forbids it is asked twice a thing, and may allow it later", async () => {
  const { store, things, opens } = storeOf("fails", "fails", "open");
  await assert.rejects(store.put("a", KEPT), /emptied/);
  assert.deepEqual(opens, ["open"]);
  await store.put("a", KEPT);
  assert.deepEqual([...things.keys()], ["a"]);
});
