import assert from "node:assert/strict";
import { test } from "node:test";
import { formOf } from "./back_to_text.js";

test("a byte has the form that its bits begin with", () => {
  const forms = [/^0/, /^110/, /^1110/, /^11110/, /^10/];
  for (let byte = 0; byte < 0xf8; byte++) assert.match(byte.toString(2).padStart(8, "0"), forms[formOf(byte)]);
});
