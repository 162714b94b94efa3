import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowPath, placeLabels, ticksOf } from "./neighbours.js";

test("an axis names round numbers, at most five", () => {
  assert.deepEqual(ticksOf(4), [1, 2, 3, 4]);
  assert.deepEqual(ticksOf(23), [5, 10, 15, 20]);
  assert.deepEqual(ticksOf(16_000), [5_000, 10_000, 15_000]);
  for (let most = 1; most < 3_000; most++) assert.ok(ticksOf(most).length >= Math.min(most, 2) && ticksOf(most).length <= 5, String(most));
});

test("an arrow ends at its tip, with a head on either side", () => {
  assert.match(arrowPath(0, 100, 50, 100), /^M0\.0 100\.0L50\.0 100\.0M31\.6 107\.8L50\.0 100\.0L31\.6 92\.2$/);
});

test("labels cover no other, no dot, and stay in their room; one that need not be seen gives way", () => {
  const at = Array.from({ length: 12 }, (_, n) => ({ x: 200 + 3 * n, y: 150 }));
  const sizes = at.map(() => ({ width: 90, height: 30 }));
  const dots = at.map(({ x, y }) => ({ x: x - 4, y: y - 4, width: 8, height: 8 }));
  const found = placeLabels(at, sizes, dots, { width: 400, height: 300 }, at.map((_, n) => n < 6));
  assert.ok(found.slice(0, 6).every(Boolean));
  assert.ok(found.slice(6).some((box) => box === null));
  const boxes = /** @type {{x: number, y: number, width: number, height: number}[]} */ (found.filter(Boolean));
  for (const [n, one] of boxes.entries()) {
    assert.ok(one.x >= 0 && one.y >= 0 && one.x + one.width <= 400 && one.y + one.height <= 300);
    for (const other of [...boxes.slice(0, n), ...dots]) {
      assert.ok(one.x >= other.x + other.width || other.x >= one.x + one.width || one.y >= other.y + other.height || other.y >= one.y + one.height);
    }
  }
});
