import assert from "node:assert/strict";
import { test } from "node:test";
import { TypedText } from "./typed_text.js";

/** A page whose clock and runs the test sets; `steps` are whether it runs at each look, 20 ms apart. */
function visit() {
  const page = { ms: 0, isRunning: false };
  const typed = new TypedText(() => page.isRunning, () => page.ms);
  /** @param {boolean} isRunning */
  const run = (isRunning) => {
    if (page.isRunning === isRunning) return;
    page.isRunning = isRunning;
    typed.changeRun();
  };
  /** @param {boolean[]} steps how many looks went by before the text was heard */
  const looksUntilHeard = (steps) => {
    let n = 0, isHeard = false;
    typed.whenHeard(
      () => (isHeard = true),
      (look) => {
        page.ms += 20;
        run(steps[n++] ?? steps.at(-1) ?? false);
        look();
      },
    );
    assert.ok(isHeard);
    return n;
  };
  return { page, typed, run, looksUntilHeard };
}

test("what was typed is on its way until its field was left and the page has run", () => {
  const { page, typed, run } = visit();
  assert.equal(typed.isOnItsWay, false);
  typed.type();
  page.ms = 60_000;
  assert.equal(typed.isOnItsWay, true, "the field was not left");
  run(true);
  typed.leave();
  run(false);
  assert.equal(typed.isOnItsWay, true, "the run began before");
  page.ms += 1900;
  run(true);
  assert.equal(typed.isOnItsWay, true);
  page.ms += 4000;
  run(false);
  assert.equal(typed.isOnItsWay, false);
});

test("a field that was left two seconds ago and began no run had nothing to say", () => {
  const { page, typed } = visit();
  typed.type();
  typed.leave();
  page.ms = 2000;
  assert.equal(typed.isOnItsWay, true);
  page.ms = 2001;
  assert.equal(typed.isOnItsWay, false);
});

test("it is heard when the run that it began has ended, also where a busy server begins it late", () => {
  for (const steps of [[false, true, true, true, false], [...Array(90).fill(false), true, false], [true, false, false, true, false]]) {
    const { page, typed, looksUntilHeard } = visit();
    page.isRunning = steps[0] ?? false;
    typed.type();
    assert.equal(looksUntilHeard(steps), steps.length);
    assert.equal(typed.isOnItsWay, false);
  }
});

test("who typed nothing waits for the run that goes on, and for none that does not", () => {
  const { page, looksUntilHeard } = visit();
  assert.equal(looksUntilHeard([]), 0);
  page.isRunning = true;
  assert.equal(looksUntilHeard([true, true, false]), 3);
});

test("nobody waits long for a page that does not run, nor for one that never ends", () => {
  const { page, typed, looksUntilHeard } = visit();
  typed.type();
  assert.equal(looksUntilHeard([false]), 101);
  page.isRunning = true;
  assert.equal(looksUntilHeard([true]), 250);
});
