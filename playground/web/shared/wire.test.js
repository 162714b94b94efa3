import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { postForColumns, postJson, readColumns, RefusedError } from "./wire.js";

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

/** @param {() => Promise<Response>} answer */
const answerWith = (answer) => {
  globalThis.fetch = answer;
};

/** Pack as `server/wire.py` does. @param {object} header @param {number[][]} columns */
function packed(header, columns) {
  let head = JSON.stringify({ ...header, columns: columns.map((column) => column.length) });
  while (new TextEncoder().encode(head).length % 4) head += " ";
  const bytes = new TextEncoder().encode(head), numbers = columns.flat();
  const buffer = new ArrayBuffer(4 + bytes.length + 4 * numbers.length), view = new DataView(buffer);
  view.setUint32(0, bytes.length, true);
  new Uint8Array(buffer).set(bytes, 4);
  numbers.forEach((number, i) => view.setUint32(4 + bytes.length + 4 * i, number, true));
  return buffer;
}

test("a header is followed by columns of the lengths that it tells", () => {
  const { header, columns } = readColumns(packed({ text: "héllo" }, [[1, 2 ** 32 - 1], [], [7]]));
  assert.deepEqual(header, { text: "héllo" });
  assert.deepEqual(columns.map((column) => [...column]), [[1, 4294967295], [], [7]]);
});

test("columns are asked for by action", async () => {
  answerWith(async () => new Response(packed({ n: 2 }, [[5]])));
  const { header, columns } = await postForColumns("/session/x", "open", {});
  assert.deepEqual([header, [...columns[0]]], [{ n: 2 }, [5]]);
});

test("JSON goes out and comes back", async () => {
  /** @type {any[]} */
  const asked = [];
  globalThis.fetch = async (...request) => (asked.push(request), Response.json({ n: 1 }));
  assert.deepEqual(await postJson("/a", "b", { text: "ü" }), { n: 1 });
  const [[url, { method, headers, body }]] = asked;
  assert.deepEqual([url, method, headers, body], ["/a/b", "POST", { "Content-Type": "application/json" }, '{"text":"ü"}']);
});

test("the server's sentence is the error", async () => {
  answerWith(async () => Response.json({ error: "too long" }, { status: 413 }));
  await assert.rejects(postJson("/x", "y", {}), (error) => error instanceof RefusedError && error.status === 413 && error.message === "too long");
});

test("an answer that is no sentence, and none at all, are told", async () => {
  answerWith(async () => new Response("<html>", { status: 502 }));
  await assert.rejects(postJson("/x", "y", {}), { status: 502, message: "the server answered 502" });
  answerWith(async () => {
    throw new TypeError("Failed to fetch");
  });
  await assert.rejects(postJson("/x", "y", {}), { status: 0, message: /does not answer/ });
});
