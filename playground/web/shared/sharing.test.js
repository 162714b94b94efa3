import assert from "node:assert/strict";
import { test } from "node:test";

import { askToShare, onShare } from "./sharing.js";

test("the component that knows answers, and the first of two", async () => {
  const page = new EventTarget(), ending = new AbortController();
  onShare(ending.signal, async () => "first", page);
  onShare(ending.signal, async () => "second", page);
  assert.equal(await askToShare(page), "first");
});

test("what went wrong is told, and a component that has left answers no more", async () => {
  const page = new EventTarget(), ending = new AbortController();
  onShare(ending.signal, async () => { throw new Error("too long"); }, page);
  await assert.rejects(askToShare(page), /too long/);
  ending.abort();
  await assert.rejects(askToShare(page), /nothing to share yet/);
});
