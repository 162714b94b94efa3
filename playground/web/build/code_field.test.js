import assert from "node:assert/strict";
import { test } from "node:test";

import { afterEnter, indented } from "./code_field.js";
import { compared, exportCode, newestWork, nextStep, readWork, standIns } from "./progress.js";

test("Enter keeps the indentation, and indents more after a colon", () => {
  assert.equal(afterEnter("def f():"), "\n    ");
  assert.equal(afterEnter("x\n    for i in a:  # each"), "\n        ");
  assert.equal(afterEnter("    return 1"), "\n    ");
});

test("Tab indents the chosen lines, and Shift with Tab takes a level away", () => {
  assert.deepEqual(indented("a\nb\nc", 0, 3, false), { from: 0, to: 3, lines: "    a\n    b" });
  assert.deepEqual(indented("    a\n  b", 0, 9, true), { from: 0, to: 9, lines: "a\nb" });
});

const STEPS = /** @type {any[]} */ ([
  { slug: "one", title: "One", given: "", solution: "a = 1" },
  { slug: "two", title: "Two", given: "", solution: "b = 2" },
]);

test("an export has the student's code, and our solution for a missing step before it", () => {
  const work = { code: {}, passed: { two: "b = 3" }, text: "" };
  assert.deepEqual(standIns(STEPS, STEPS[1], work), [1]);
  assert.equal(nextStep(STEPS, work), "one");
  assert.match(exportCode(STEPS, work), /# 1 · One \(Tessera's solution\)\n\na = 1\n\n\n# 2 · Two\n\nb = 3\n$/);
});

test("damaged work is read as none, work of another tab counts, and blocked storage leaves this tab's", () => {
  assert.deepEqual(readWork({ code: [1], passed: { one: 2, two: "x" }, text: 3 }), { code: {}, passed: { two: "x" }, text: "" });
  const own = { code: { one: "old" }, passed: {}, text: "" }, other = { code: { one: "new" }, passed: { two: "x" }, text: "" };
  assert.deepEqual(newestWork(other, own), other);
  assert.equal(newestWork({}, own), own);
});

test("of fresh examples the shortest that failed is told, and a missing result fails", () => {
  const cases = ["1", "22", "3"].map((value, n) => ({ expression: `f(${n})`, value, shown: value }));
  const { n, nRight, failed } = compared(cases, [{ value: "1" }, { value: "2", shown: "2" }]);
  assert.deepEqual([n, nRight, failed?.wanted.expression, failed?.got.shown], [3, 1, "f(1)", "2"]);
  assert.equal(compared(cases.slice(0, 1), [{ value: "1" }]).failed, null);
});

test("without solutions, an export ends before the first step that has not passed", () => {
  const work = { code: {}, passed: { two: "b = 3" }, text: "" };
  assert.doesNotMatch(exportCode(STEPS, work, true), /a = 1|b = 3/);
});
