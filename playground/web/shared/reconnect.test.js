import assert from "node:assert/strict";
import { test } from "node:test";
import { onceFree, Reconnect, RETRY_MS, sentenceOf } from "./reconnect.js";
import { RefusedError } from "./wire.js";

/** A page whose opening fails with each of these statuses in turn, and then succeeds. @param {number[]} statuses */
function page(statuses) {
  /** @type {string[]} */
  const said = [];
  const open = () => {
    said.push("open");
    const status = statuses.shift();
    if (status === undefined) reconnect.stop();
    else assert.equal(reconnect.seeks(new RefusedError("lost", status)), true);
  };
  const reconnect = new Reconnect({ askForSession: () => said.push("ask"), reopen: open });
  return { said, open, reconnect };
}

test("a server that does not answer is asked until it does, and for a session as long as it knows none", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { said, open, reconnect } = page([0, 502, 410, 410]);
  open();
  for (let n = 0; n < 10; n++) timers.tick(RETRY_MS);
  assert.deepEqual(said, ["open", "open", "open", "ask", "open", "ask", "open"]);
  assert.equal(reconnect.isLost, false);
});

test("a server that is lost again is sought again, as often and as soon as the first time", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  /** @type {number[]} */
  const statuses = [];
  const { said, open, reconnect } = page(statuses);
  for (let n = 0; n < 2; n++) {
    statuses.push(0, 410, 410, 410);
    open();
    for (let tick = 0; tick < 10; tick++) timers.tick(RETRY_MS);
    assert.deepEqual(said.splice(0), ["open", "open", "ask", "open", "ask", "open", "ask", "open"]);
    assert.equal(reconnect.isLost, false);
  }
});

test("a server that is busy is asked again, and a person is told so", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { said, open } = page([429, 503]);
  open();
  for (let n = 0; n < 10; n++) timers.tick(RETRY_MS);
  assert.deepEqual(said, ["open", "open", "open"]);
  for (const status of [429, 503]) {
    assert.match(sentenceOf(new RefusedError("8 requests of this page wait already; send fewer at once", status)), /What you typed is kept/);
  }
  assert.equal(sentenceOf(new RefusedError("too long", 413)), "too long");
  assert.equal(sentenceOf(null), "");
});

test("what a busy server refuses is asked again until it is done, and what it refuses for good is not", async ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const ends = [429, 503, 200, 413];
  const ask = async () => {
    const status = ends.shift() ?? 0;
    if (status !== 200) throw new RefusedError("no", status);
    return "done";
  };
  const asked = onceFree(ask);
  for (let n = 0; n < 20 && ends.length > 1; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    timers.tick(RETRY_MS);
  }
  assert.equal(await asked, "done");
  await assert.rejects(onceFree(ask), { status: 413 });
});

test("a page that takes long to run is asked for a session less and less often", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { said, open } = page(Array(1000).fill(410));
  open();
  for (let n = 0; n < 16; n++) timers.tick(RETRY_MS);
  assert.equal(said.filter((word) => word === "ask").length, 6); // after 0, 1, 2, 4, 8 and 16 s
  for (let n = 0; n < 80; n++) timers.tick(RETRY_MS);
  assert.equal(said.filter((word) => word === "ask").length, 16);
});

test("many keys that fail are one attempt", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { said, reconnect } = page([]);
  for (let n = 0; n < 20; n++) reconnect.seeks(new RefusedError("gone", 410));
  assert.deepEqual(said, ["ask"]);
  assert.equal(reconnect.isLost, true);
  timers.tick(RETRY_MS);
  assert.deepEqual(said, ["ask", "open"]);
});

test("a refusal with a reason is not a lost server, and a page that was left asks nothing", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { said, reconnect } = page([]);
  for (const status of [400, 409, 413]) assert.equal(reconnect.seeks(new RefusedError("no", status)), false);
  assert.equal(reconnect.seeks(new TypeError("a fault of ours")), false);
  reconnect.seeks(new RefusedError("lost", 0));
  reconnect.end();
  reconnect.seeks(new RefusedError("on its way when the page was left", 410));
  timers.tick(10 * RETRY_MS);
  assert.deepEqual(said, []);
});
