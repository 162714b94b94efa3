import assert from "node:assert/strict";
import { test } from "node:test";
import { TypedText } from "./typed_text.js";

/** A page whose clock and runs the test sets; `steps` are whether it runs at each look, 20 ms apart. */
function visit() {
  const page = { ms: 0, isRunning: false };
  const typed = new TypedText(() => page.isRunning, () => page.ms);
  /** @param {boolean[]} steps how many looks went by before the text was heard */
  const looksUntilHeard = (steps) => {
    let n = 0, isHeard = false;
    typed.whenHeard(
      () => (isHeard = true),
      (look) => {
        page.ms += 20;
        page.isRunning = steps[n++] ?? steps.at(-1) ?? false;
        look();
      },
    );
    assert.ok(isHeard);
    return n;
  };
  return { page, typed, looksUntilHeard };
}

test("what was typed is on its way until its field was left a second ago and the page rests", () => {
  const { page, typed } = visit();
  assert.equal(typed.isOnItsWay, false);
  typed.type();
  page.ms = 60_000;
  assert.equal(typed.isOnItsWay, true, "the field was not left");
  typed.leave();
  page.ms += 900;
  assert.equal(typed.isOnItsWay, true);
  page.ms += 200;
  page.isRunning = true;
  assert.equal(typed.isOnItsWay, true);
  page.isRunning = false;
  assert.equal(typed.isOnItsWay, false);
});

test("it is heard when the run that it began has ended", () => {
  const { typed, looksUntilHeard } = visit();
  typed.type();
  assert.equal(looksUntilHeard([false, true, true, true, false]), 5);
  assert.equal(typed.isOnItsWay, false);
});

test("nobody waits long for a page that does not run, nor for one that never ends", () => {
  const { looksUntilHeard } = visit();
  assert.equal(looksUntilHeard([false]), 8);
  assert.equal(looksUntilHeard([true]), 250);
});
