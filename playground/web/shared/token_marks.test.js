import assert from "node:assert/strict";
import { test } from "node:test";
import { kindsOfMarks, MARK, NO_MARKS, partsOfSegment, sliceMarks } from "./token_marks.js";

/** @param {number} nDropped behind a token @param {number} [mark] */
const told = (nDropped, mark = MARK.asTyped) => 4 * nDropped + mark;

test("a segment is in three: what was dropped before it, what stands, and what was dropped behind", () => {
  const marks = Uint32Array.of(2, told(3), told(0, MARK.inserted));
  const parts = partsOfSegment({ text: "  a é", first: 0, last: 1, nBytes: 6 }, marks);
  assert.deepEqual(parts, { before: "  ", own: "a", behind: " é", isChanged: false, isInserted: false });
  const second = partsOfSegment({ text: "b", first: 1, last: 2, nBytes: 1 }, marks);
  assert.deepEqual(second, { before: "", own: "b", behind: "", isChanged: false, isInserted: true });
});

test("a dropped accent stays with its letter, whose token is then of other text", () => {
  const parts = partsOfSegment({ text: "e\u0301 ", first: 0, last: 1, nBytes: 4 }, Uint32Array.of(0, told(3)));
  assert.deepEqual(parts, { before: "", own: "e\u0301", behind: " ", isChanged: true, isInserted: false });
});

test("what is dropped between the tokens of one character changes it", () => {
  const marks = Uint32Array.of(0, told(1), told(0));
  assert.equal(partsOfSegment({ text: "👍", first: 0, last: 2, nBytes: 4 }, marks).isChanged, true);
});

test("the kinds of marks are those of any token, and of a text without tokens", () => {
  assert.deepEqual(kindsOfMarks(NO_MARKS), { isDropped: false, isChanged: false, isInserted: false });
  assert.deepEqual(kindsOfMarks(Uint32Array.of(3)), { isDropped: true, isChanged: false, isInserted: false });
  assert.deepEqual(kindsOfMarks(Uint32Array.of(0, MARK.changed, told(1, MARK.inserted))), { isDropped: true, isChanged: true, isInserted: true });
});

test("a part of the tokens has their marks, and what was dropped before the first alone", () => {
  const marks = Uint32Array.of(2, told(1), told(0, MARK.changed));
  assert.deepEqual([...sliceMarks(marks, 0, 1)], [2, told(1)]);
  assert.deepEqual([...sliceMarks(marks, 1, 2)], [0, MARK.changed]);
  assert.equal(sliceMarks(NO_MARKS, 1, 2).length, 0);
});
