import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseAt } from "./stage.js";

test("an empty field removes the pause, and an invalid number changes nothing", () => {
  assert.equal(pauseAt(""), null);
  assert.equal(pauseAt(" 40 "), 40);
  for (const text of ["0", "-1", "1.5", "x", "1e10"]) assert.equal(pauseAt(text), undefined, text);
});
