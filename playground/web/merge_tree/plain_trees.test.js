import assert from "node:assert/strict";
import { test } from "node:test";
import { fillWidth, spreadOf, spreadPath } from "./plain_trees.js";

test("a short text fills its line without exceeding it", () => {
  for (const room of [300, 1170, 1800]) {
    for (const width of [32, 100, 250, 299, 900, 1169, 5000]) {
      for (const nPretokens of [1, 3]) {
        const { zoom, spread } = spreadOf({ width, nPretokens, room }), filled = width * zoom * spread + nPretokens * 13;
        assert.ok(zoom >= 1 && spread >= 1);
        if (zoom * spread > 1) assert.ok(filled <= room, `${width} in ${room}: ${filled}`);
        if (width * 4 > room && width < room - nPretokens * 13) assert.ok(filled > room - 3, `${width} in ${room}: ${filled}`);
      }
    }
  }
  assert.deepEqual(spreadOf({ width: 0, nPretokens: 0, room: 500 }), { zoom: 1, spread: 1 });
});

test("only the x coordinates of a path are multiplied", () => {
  assert.equal(spreadPath("M12.5 30V4.5H-5", 2), "M25 30V4.5H-10");
});

test("trees are enlarged only as far as the content below stays visible", () => {
  const line = { width: 400, nPretokens: 1, room: 1200, height: 200 };
  assert.equal(spreadOf({ ...line, maxHeight: 240 }).zoom, 1.2);
  assert.equal(spreadOf({ ...line, maxHeight: 100 }).zoom, 1, "they are never made smaller");
  const { zoom, spread } = spreadOf({ ...line, maxHeight: 240 });
  assert.ok(Math.abs(zoom * spread * 400 - (1200 - 14)) < 1, "and fill the line all the same");
});

test("trees removed from the page stay unchanged", () => {
  globalThis.getComputedStyle = () => /** @type {any} */ ({ paddingLeft: "", paddingRight: "" });
  const gone = { clientWidth: 0, children: [], style: { setProperty: () => assert.fail("there is no width to fill") } };
  fillWidth(/** @type {any} */ (gone), 1);
});
