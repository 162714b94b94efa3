import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorActions } from "./editor_actions.js";

test("changes of tokens are sent one at a time, so that no answer overtakes another", async ({ mock }) => {
  const answers = /** @type {((response: Response) => void)[]} */ ([]), settle = () => new Promise((resolve) => setImmediate(resolve));
  const fetch = mock.method(globalThis, "fetch", () => new Promise((resolve) => answers.push(resolve)));
  const actions = new EditorActions(() => "/session/x");
  const first = assert.rejects(actions.settings({ mode: "text" })), second = assert.rejects(actions.open("/session/y", { text: "" }));
  await settle();
  assert.equal(fetch.mock.callCount(), 1);
  answers[0](new Response("{}", { status: 500 })); // one that fails holds up nothing
  await first;
  await settle();
  assert.equal(fetch.mock.calls[1].arguments[0], "/session/y/open");
  answers[1](new Response("{}", { status: 500 }));
  await second;
});
