import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorActions } from "./editor_actions.js";

test("an edit is sent with the server's names", async ({ mock }) => {
  const fetch = mock.method(globalThis, "fetch", () => Promise.reject(new TypeError("no server")));
  await assert.rejects(new EditorActions(() => "/session/x").edit({ version: 1, start: 2, nDeleted: 3, inserted: "d" }));
  const [url, request] = fetch.mock.calls[0].arguments;
  assert.deepEqual([url, JSON.parse(String(request?.body))], ["/session/x/edit", { version: 1, start: 2, n_deleted: 3, inserted: "d" }]);
});

test("changes of tokens are sent one at a time, so that no answer overtakes another", async ({ mock }) => {
  const answers = /** @type {((response: Response) => void)[]} */ ([]), settle = () => new Promise((resolve) => setImmediate(resolve));
  const fetch = mock.method(globalThis, "fetch", () => new Promise((resolve) => answers.push(resolve)));
  const actions = new EditorActions(() => "/session/x");
  const first = assert.rejects(actions.settings({ mode: "text" })), second = assert.rejects(actions.open());
  await settle();
  assert.equal(fetch.mock.callCount(), 1);
  answers[0](new Response("{}", { status: 500 })); // one that fails holds up nothing
  await first;
  await settle();
  assert.equal(fetch.mock.calls[1].arguments[0], "/session/x/open");
  answers[1](new Response("{}", { status: 500 }));
  await second;
});
