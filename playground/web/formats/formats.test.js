import assert from "node:assert/strict";
import { test } from "node:test";
import { fileNameOf } from "./formats.js";

test("a text keeps its file's name while it begins with the file's first line", () => {
  const opened = { name: "prices.csv", head: "id,price" };
  assert.equal(fileNameOf(opened, "id,price\n1,2,3"), "prices.csv");
  assert.equal(fileNameOf(opened, '{"an": "example"}'), "");
  assert.equal(fileNameOf({ name: "", head: "" }, "id,price"), "");
});
