import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorActions } from "./editor_actions.js";

test("an edit goes out under the names that the server reads", async ({ mock }) => {
  const fetch = mock.method(globalThis, "fetch", () => Promise.reject(new TypeError("no server")));
  await assert.rejects(new EditorActions(() => "/session/x").edit({ version: 1, start: 2, nDeleted: 3, inserted: "d" }));
  const [url, request] = fetch.mock.calls[0].arguments;
  assert.deepEqual([url, JSON.parse(String(request?.body))], ["/session/x/edit", { version: 1, start: 2, n_deleted: 3, inserted: "d" }]);
});
