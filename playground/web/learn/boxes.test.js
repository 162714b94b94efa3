import assert from "node:assert/strict";
import { test } from "node:test";
import { nLeaving, nWithin } from "./boxes.js";

/** Boxes 10 wide and high, three in a line. */
const places = Array.from({ length: 9 }, (_, n) => ({ right: 10 * ((n % 3) + 1), top: 10 * Math.floor(n / 3), bottom: 10 * (Math.floor(n / 3) + 1) }));

test("children that overflow a box are not counted as inside it", () => {
  assert.equal(nWithin(places, 30, 30), 9);
  assert.equal(nWithin(places, 30, 20), 6);
  assert.equal(nWithin(places, 20, 30), 2, "from the first on");
  assert.equal(nWithin(places.map((place) => ({ ...place, top: place.top - 5, bottom: place.bottom - 5 })), 30, 20), 6, "centred");
  assert.equal(nWithin([], 30, 30), 0);
});

test("the note on the rest replaces as few boxes of the last line as it needs", () => {
  assert.equal(nLeaving(places, 20), 8);
  assert.equal(nLeaving(places, 15), 7);
  assert.equal(nLeaving(places, 5), 6, "a line of its own, and none of the line above");
  assert.equal(nLeaving(places.slice(0, 3), 5), 0);
  assert.equal(nLeaving([], 5), 0);
});
