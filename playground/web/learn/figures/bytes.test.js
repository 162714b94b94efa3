import assert from "node:assert/strict";
import { test } from "node:test";
import { nPrefixBits, turned } from "./bytes.js";

test("the bits that say what a byte is are as in the standard", () => {
  for (let byte = 0; byte < 0xf8; byte++) {
    const bits = byte.toString(2).padStart(8, "0");
    assert.equal(bits.slice(0, nPrefixBits(byte)), /^1*0/.exec(bits)?.[0]);
  }
});

test("every character of a text is reached by keys, each page beginning where the row before ended", () => {
  const nAll = 11, nShown = 4, starts = new Set();
  let at = { first: 0, chosen: 0 };
  for (let n = 0; n < nAll; n++) {
    assert.equal(at.chosen, n);
    assert.ok(at.first <= n && n < at.first + nShown);
    starts.add(at.first);
    at = turned({ ...at, nShown, nAll }, 1);
  }
  assert.deepEqual([...starts], [0, 4, 8]);
  assert.equal(at.chosen, nAll - 1, "at the end it stays");
  for (let n = nAll - 2; n >= 0; n--) at = turned({ ...at, nShown, nAll }, -1);
  assert.deepEqual(at, { first: 0, chosen: 0 });
  assert.deepEqual(turned({ ...at, nShown, nAll }, -1), { first: 0, chosen: 0 });
});
