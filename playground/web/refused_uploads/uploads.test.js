import assert from "node:assert/strict";
import { test } from "node:test";
import { isRefused, iterTooLarge, reasonOf } from "./uploads.js";

const URL = "http://localhost:8501/_stcore/upload_file/a-session/a-file";

test("an upload that was not taken is told from what was, and from other requests", () => {
  for (const responseStatus of [0, 400, 413, 503, 507]) assert.equal(isRefused({ name: URL, responseStatus }), true);
  for (const responseStatus of [200, 204]) assert.equal(isRefused({ name: URL, responseStatus }), false);
  assert.equal(isRefused({ name: "http://localhost:8501/session/x/edit", responseStatus: 413 }), false);
  assert.equal(isRefused({ name: URL }), true, "a browser that tells no status");
  assert.equal(isRefused({ name: `${URL}?why`, responseStatus: 404 }), false, "our own question");
});

test("the reason is the server's sentence, asked at the address of the file", async () => {
  const asked = /** @type {string[]} */ ([]);
  const get = async (/** @type {string} */ url) => (asked.push(url), { ok: true, text: async () => "Too much.\n" });
  assert.equal(await reasonOf({ name: URL, responseStatus: 413 }, get), "Too much.");
  assert.deepEqual(asked, [`${URL}?why`]);
});

test("where the server knows no reason, or does not answer, the status is told", async () => {
  const unknown = async () => ({ ok: false, text: async () => "Not Found" });
  const away = () => Promise.reject(new TypeError("Failed to fetch"));
  assert.match(await reasonOf({ name: URL, responseStatus: 400 }, unknown), /the server answered 400/);
  assert.match(await reasonOf({ name: URL, responseStatus: 0 }, away), /broke off/);
});

test("a file over the limit is told with its size, and one at the limit is not", () => {
  const files = [{ name: "a.json", size: 500_000_000 }, { name: "b.json", size: 41_943_040 }];
  assert.deepEqual([...iterTooLarge(files, 41_943_040)], [["a.json", "a.json has 500,000,000 bytes; this page takes up to 41,943,040."]]);
});
