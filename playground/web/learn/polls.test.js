import assert from "node:assert/strict";
import { test } from "node:test";
import { Polls } from "./polls.js";

test("phones get the question, then the answer, then neither; the stage hides how votes are spread until it is asked", async () => {
  /** @type {[string, boolean][]} */
  const sent = [];
  const polls = new Polls(async (slug, isRevealed) => {
    sent.push([slug, isRevealed]);
    return { address: "http://a/poll/x", qr: "", problem: "", votes: [1, 2] };
  }, () => {});
  polls.ask("bytes", false);
  assert.deepEqual(sent, [], "nothing is sent before the teacher opens the poll");
  polls.open("bytes");
  assert.equal(polls.isSpread, false);
  polls.open("bytes");
  assert.equal(polls.isSpread, true);
  polls.ask("bytes", true);
  assert.equal(polls.isSpread, false);
  polls.ask(null, false);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(sent, [["bytes", false], ["bytes", true], ["", false]]);
  polls.forget();
  assert.equal(polls.of("bytes"), null);
});
