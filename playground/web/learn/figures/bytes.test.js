import assert from "node:assert/strict";
import { test } from "node:test";
import { nPrefixBits } from "./bytes.js";

test("the bits that say what a byte is are as in the standard", () => {
  for (let byte = 0; byte < 0xf8; byte++) {
    const bits = byte.toString(2).padStart(8, "0");
    assert.equal(bits.slice(0, nPrefixBits(byte)), /^1*0/.exec(bits)?.[0]);
  }
});
