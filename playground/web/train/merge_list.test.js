import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsInView, topFor } from "./merge_list.js";

test("all rows in view are drawn, and few others", () => {
  for (const n of [0, 1, 7, 20_000]) {
    for (const top of [0, 10, 23, 24, 500, n * 24]) {
      const [first, end] = rowsInView({ n, top, height: 200, rowHeight: 24 });
      assert.ok(first <= end && end <= n && end - first <= 24);
      for (let row = 0; row < n; row++) {
        const isSeen = row * 24 < top + 200 && (row + 1) * 24 > top;
        if (isSeen) assert.ok(first <= row && row < end, `row ${row} of ${n} from ${top}`);
      }
    }
  }
});

test("selecting a visible row doesn't scroll, and another one is scrolled into view", () => {
  for (const row of [0, 1, 8, 9, 100, 5000]) {
    for (const top of [0, 24, 1000]) {
      const found = topFor({ row, top, height: 200, rowHeight: 24 });
      assert.ok(row * 24 >= found && (row + 1) * 24 <= found + 200);
      if (row * 24 >= top && (row + 1) * 24 <= top + 200) assert.equal(found, top);
    }
  }
});
