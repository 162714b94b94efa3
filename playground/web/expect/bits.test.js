import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceOf, movedCuts, oddsOf, partsOf, percent, shadeOf, shownBits } from "./bits.js";

test("bits are said as odds, and large numbers are marked", () => {
  assert.deepEqual([0, 0.06, 1, 3.32, 6.64, 24.92727].map(oddsOf), ["all but certain", "all but certain", "1 in 2.0", "≈ 1 in 10", "≈ 1 in 100", "≈ 1 in 31,900,000"]);
});

test("a colour begins at 0.3 bits and is strongest from 14 on", () => {
  assert.deepEqual([0.29, 7, 14, 40].map(shadeOf), [0, 0.5, 1, 1]);
});

test("numbers have one decimal at most", () => {
  assert.deepEqual([0.04, 99.94, 99.96, 1234.5].map(shownBits), ["0.0", "99.9", "100", "1,235"]);
  assert.deepEqual([0.00001, 0.012345, 0.9996].map(percent), ["< 0.1 %", "1.2 %", "> 99.9 %"]);
});

test("ranks have their ending", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 9071].map(choiceOf), [
    "first choice", "2nd choice", "3rd choice", "4th choice", "11th choice", "12th choice", "13th choice", "21st choice", "9,071st choice",
  ]);
});

test("cuts move with the text, and those in a replaced part are gone", () => {
  assert.deepEqual(movedCuts([2, 5, 8], [3, 3, "x"]), [2, 6]);
  assert.deepEqual(movedCuts([2, 5], [5, 0, "abc"]), [2, 5]);
  assert.deepEqual(movedCuts([2, 5], [0, 0, "ab"]), [4, 7]);
});

test("parts join to the text, whatever the cuts", () => {
  assert.deepEqual(partsOf("abcd", [1, 3]), ["a", "bc", "d"]);
  assert.deepEqual(partsOf("abcd", [0, 4, 9]), ["abcd"]);
  assert.deepEqual(partsOf("", [1]), []);
});
