import assert from "node:assert/strict";
import { test } from "node:test";
import { isSettledNumber, settleMs, WhenSettled } from "./when_settled.js";

test("only the last key of a row acts, and none once it is taken back", ({ mock: { timers } }) => {
  timers.enable({ apis: ["setTimeout"] });
  const acted = /** @type {string[]} */ ([]), typing = new WhenSettled((/** @type {string} */ what) => acted.push(what));
  for (const what of ["a", "ab", "abc"]) {
    typing.touch(what, 350);
    timers.tick(300);
  }
  assert.deepEqual(acted, []);
  timers.tick(50);
  assert.deepEqual(acted, ["abc"]);
  typing.touch("abcd", 350);
  typing.cancel();
  timers.tick(1000);
  assert.deepEqual(acted, ["abc"]);
});

test("long texts wait longer", () => {
  assert.ok(settleMs(100) < settleMs(100_000) && settleMs(100_000) < settleMs(1_000_000));
});

test("a number is sent that nobody would write in another way", () => {
  for (const typed of ["0", "3", "2.5", "0.05", "120", "0.0001"]) assert.ok(isSettledNumber(typed), typed);
  for (const typed of ["", "-", "0.", "0.0", "2.50", "02", "1e3", "12345678", "1.234567"]) assert.ok(!isSettledNumber(typed), typed);
});
