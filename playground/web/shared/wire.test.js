import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { NewestWins, onceFree, postJson, readColumns, Reconnect, RefusedError, RETRY_MS, sentenceOf } from "./wire.js";

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

test("an answer is a header followed by columns of the lengths given in it", () => {
  const { header, columns } = readColumns(packed({ text: "héllo" }, [[1, 2 ** 32 - 1], [], [7]]));
  assert.deepEqual(header, { text: "héllo" });
  assert.deepEqual(columns.map((column) => [...column]), [[1, 4294967295], [], [7]]);
});

test("a request and its answer are JSON", async () => {
  /** @type {any[]} */
  const asked = [];
  globalThis.fetch = async (...request) => (asked.push(request), Response.json({ n: 1 }));
  assert.deepEqual(await postJson("/a", "b", { text: "ü" }), { n: 1 });
  const [[url, { method, headers, body }]] = asked;
  assert.deepEqual([url, method, headers, body], ["/a/b", "POST", { "Content-Type": "application/json" }, '{"text":"ü"}']);
});

test("a refused request throws the server's message", async () => {
  answerWith(async () => Response.json({ error: "too long" }, { status: 413 }));
  await assert.rejects(postJson("/x", "y", {}), (error) => error instanceof RefusedError && error.status === 413 && error.message === "too long");
});

test("an answer without a message and a missing answer have messages of their own", async () => {
  answerWith(async () => new Response("<html>", { status: 502 }));
  await assert.rejects(postJson("/x", "y", {}), { status: 502, message: "the server answered 502" });
  answerWith(async () => {
    throw new TypeError("Failed to fetch");
  });
  await assert.rejects(postJson("/x", "y", {}), { status: 0, message: /does not answer/ });
});

/** A queue whose work ends on request. */
function controlled() {
  /** @type {number[]} */
  const done = [];
  /** @type {(() => void)[]} */
  const ends = [];
  const queue = new NewestWins((/** @type {number} */ wanted) => {
    done.push(wanted);
    return new Promise((resolve) => ends.push(() => resolve()));
  });
  return { done, queue, end: async () => (ends.shift()?.(), await new Promise((resolve) => setImmediate(resolve))) };
}

test("of several requests made while one runs, only the newest runs next", async () => {
  const { done, queue, end } = controlled();
  queue.push(1);
  queue.push(2);
  queue.push(3);
  assert.deepEqual(done, [1]);
  await end();
  assert.deepEqual(done, [1, 3]);
  await end();
  queue.push(4);
  assert.deepEqual(done, [1, 3, 4]);
});

test("settled() waits for the running and the waiting request", async () => {
  const { done, queue, end } = controlled();
  let isSettled = false;
  queue.push(1);
  queue.push(2);
  const settled = queue.settled().then(() => (isSettled = true));
  await end();
  assert.equal(isSettled, false);
  await end();
  await settled;
  assert.deepEqual(done, [1, 2]);
});

test("a request made just as the last one ends still runs", async () => {
  for (let nSteps = 0; nSteps < 12; nSteps++) {
    const done = /** @type {number[]} */ ([]);
    const queue = new NewestWins(async (/** @type {number} */ wanted) => void done.push(wanted));
    queue.push(1);
    for (let step = 0; step < nSteps; step++) await Promise.resolve(); // each lets what waits for the end go on by one
    queue.push(2);
    await queue.settled();
    assert.deepEqual(done, [1, 2]);
  }
});

test("the queue goes on after a failure", async () => {
  const done = /** @type {number[]} */ ([]);
  const queue = new NewestWins(async (/** @type {number} */ wanted) => {
    done.push(wanted);
    if (wanted === 1) throw new Error("no");
  });
  await assert.rejects(queue.push(1), /no/);
  await queue.push(2);
  assert.deepEqual(done, [1, 2]);
});

test("a waiting request can be cancelled", async () => {
  const { done, queue, end } = controlled();
  queue.push(1);
  queue.push(2);
  queue.cancel();
  await end();
  await queue.settled();
  assert.deepEqual(done, [1]);
});

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

test("a lost server is asked until it answers, and the page for a session while the server knows none", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { said, open, reconnect } = page([0, 502, 410, 410]);
  open();
  for (let n = 0; n < 10; n++) timers.tick(RETRY_MS);
  assert.deepEqual(said, ["open", "open", "open", "ask", "open", "ask", "open"]);
  assert.equal(reconnect.isLost, false);
});

test("a busy server is asked again, and the reader sees a message", ({ mock: { timers } }) => {
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

test("a request refused as busy is repeated, any other refusal is final", async ({ mock: { timers } }) => {
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

test("many failures at once start one attempt to reconnect", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const { said, reconnect } = page([]);
  for (let n = 0; n < 20; n++) reconnect.seeks(new RefusedError("gone", 410));
  assert.deepEqual(said, ["ask"]);
  assert.equal(reconnect.isLost, true);
  timers.tick(RETRY_MS);
  assert.deepEqual(said, ["ask", "open"]);
});

test("other refusals don't reconnect, and neither does a closed page", ({ mock: { timers } }) => {
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
