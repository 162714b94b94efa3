import assert from "node:assert/strict";
import { test } from "node:test";
import { inMillions } from "./vocabulary_size.js";

test("parameters are written in millions, and large ones in thousands of them", () => {
  assert.equal(inMillions(38_597_376), "38.6 M");
  assert.equal(inMillions(1_050_673_152), "1.05 B");
});
