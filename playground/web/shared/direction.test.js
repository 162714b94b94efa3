import assert from "node:assert/strict";
import { test } from "node:test";
import { baseDirection, hasRightToLeft, joinedText, layByLevel, levelsOf } from "./direction.js";

/** What is seen, left to right, of a line of these stretches. @param {string[]} texts @param {"ltr" | "rtl"} base */
function seen(texts, base) {
  const makeRow = (/** @type {"ltr" | "rtl"} */ direction) => /** @type {any} */ ({ direction, items: /** @type {any[]} */ ([]), append(/** @type {any} */ item) { this.items.push(item); } });
  const row = makeRow(base), read = (/** @type {any} */ item) => {
    if (typeof item === "string") return [item];
    const parts = item.items.map(read);
    return (item.direction === "rtl" ? parts.toReversed() : parts).flat();
  };
  layByLevel(row, /** @type {any} */ (texts), levelsOf(texts, base), base === "rtl" ? 1 : 0, makeRow);
  return read(row).join("");
}

test("a line is read in the direction of its first letter", () => {
  assert.deepEqual(["abc", "שלום abc", "123 שלום", "… a", "", "12"].map(baseDirection), ["ltr", "rtl", "rtl", "ltr", "ltr", "ltr"]);
  assert.deepEqual(["abc é 안녕", "a ש", "سلام"].map(hasRightToLeft), [false, true, true]);
});

test("stretches stand in the order in which they are seen", () => {
  assert.equal(seen(["a", "b", "c"], "ltr"), "abc");
  assert.equal(seen(["ש", "ל", "ו", "ם"], "rtl"), "םולש");
  assert.equal(seen(["a", " ", "ש", "ל", " ", "ו", ".", " ", "b"], "ltr"), "a ו לש. b", "words in between");
  assert.equal(seen(["ש", " ", "a", "b", " ", "ל"], "rtl"), "ל ab ש");
  assert.equal(seen(["ש", " ", "1", "2", " ", "ל"], "rtl"), "ל 12 ש", "numbers keep their order");
  assert.equal(seen(["a", "1", " ", "ש", " ", "1", "2"], "ltr"), "a1 12 ש");
});

test("letters that are cut apart keep their shapes, others have none to keep", () => {
  assert.equal(joinedText("سلام", 1, 3), "\u200dلا\u200d");
  assert.equal(joinedText("سلام", 0, 4), "سلام");
  assert.equal(joinedText("abc", 1, 2), "b");
});
