import assert from "node:assert/strict";
import { test } from "node:test";
import { NewestWins } from "./newest_wins.js";

/** A queue whose work ends when it is told to. */
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

test("of what is wanted while one is done, the last is done next and the others never", async () => {
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

test("settled waits for what waits", async () => {
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

test("settled waits for what is wanted just as the work ends", async () => {
  const { done, queue, end } = controlled();
  const again = queue.push(1).then(() => void queue.push(2));
  let isSettled = false;
  const settled = queue.settled().then(() => (isSettled = true));
  await end();
  await again;
  assert.deepEqual([done, isSettled], [[1, 2], false]);
  await end();
  await settled;
});

test("what is wanted in the moment in which the last work ends is done", async () => {
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

test("work that fails leaves the queue at work", async () => {
  const done = /** @type {number[]} */ ([]);
  const queue = new NewestWins(async (/** @type {number} */ wanted) => {
    done.push(wanted);
    if (wanted === 1) throw new Error("no");
  });
  await assert.rejects(queue.push(1), /no/);
  await queue.push(2);
  assert.deepEqual(done, [1, 2]);
});

test("what waits can be called off", async () => {
  const { done, queue, end } = controlled();
  queue.push(1);
  queue.push(2);
  queue.cancel();
  await end();
  await queue.settled();
  assert.deepEqual(done, [1]);
});
