import assert from "node:assert/strict";
import { test } from "node:test";

import { askToShare, onShare } from "./sharing.js";

test("the component that knows answers, and the first of two", async () => {
  const page = new EventTarget(), ending = new AbortController();
  onShare(ending.signal, async () => ({ step: 1 }), page);
  onShare(ending.signal, async () => ({ step: 2 }), page);
  assert.deepEqual(await askToShare(() => true, page), { step: 1 });
});

test("what went wrong is told, and a component that has left answers no more", async () => {
  const page = new EventTarget(), ending = new AbortController();
  onShare(ending.signal, async () => { throw new Error("too long"); }, page);
  await assert.rejects(askToShare(() => true, page), /too long/);
  ending.abort();
  await assert.rejects(askToShare(() => true, page, 0), /nothing to share yet/);
});

test("a page that the server knows whole needs no answer", async () => {
  assert.deepEqual(await askToShare(() => false, new EventTarget()), {});
});

test("a component that comes while it is waited for answers", async () => {
  const page = new EventTarget(), asked = askToShare(() => true, page);
  setTimeout(() => onShare(new AbortController().signal, async () => ({ step: 3 }), page));
  assert.deepEqual(await asked, { step: 3 });
});
