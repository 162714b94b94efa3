import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsOf } from "./unmoved_rows.js";

test("each row is one cell, of the path of its level", () => {
  const paths = pathsOf(`${"0".repeat(64)}10`);
  assert.deepEqual([...paths.keys()], ["0", "1"]);
  assert.equal(paths.get("0")?.split("M").length, 1 + 65);
  assert.ok(paths.get("0")?.endsWith("M1 1h.86v.86h-.86z"));
  assert.equal(paths.get("1"), "M0 1h.86v.86h-.86z");
});
