import assert from "node:assert/strict";
import { test } from "node:test";
import { matchSequences } from "./sequence_diff.js";
import { countRuns, iterDrawn, makeRuns, toldOf } from "./versions.js";

/** Segments of words; one with a "+" is of two tokens. @param {string} words */
function segmentsOf(words) {
  let first = 0;
  return words.split(" ").map((text) => {
    const last = first + (text.endsWith("+") ? 2 : 1), segment = { text, first, last, nBytes: text.length };
    first = last;
    return segment;
  });
}

test("what went stands before what came, between what stayed", () => {
  const old = segmentsOf("a b+ c d"), now = segmentsOf("a x y d e");
  const key = (/** @type {{text: string}} */ { text }) => text.charCodeAt(0);
  const runs = makeRuns(matchSequences(old.map(key), now.map(key)).matches, old, now);
  const told = runs.map(({ kind, segments }) => `${kind}: ${segments.map(({ text }) => text).join(" ")}`);
  assert.deepEqual(told, ["kept: a", "removed: b+ c", "added: x y", "kept: d", "added: e"]);
  assert.deepEqual(countRuns(runs), { kept: 2, removed: 3, added: 3 });
});

test("segments that their tokens do not spell come in parts", () => {
  const segments = segmentsOf("a b");
  assert.deepEqual(toldOf({ segments, marks: new Uint32Array() }), segments);
  const [first, second] = toldOf({ segments, marks: Uint32Array.of(0, 1, 2 + (1 << 2)) });
  assert.deepEqual([first.parts?.isChanged, first.parts?.own], [true, "a"]);
  assert.deepEqual([second.parts?.isInserted, second.parts?.own, second.parts?.behind], [true, "", "b"]);
});

test("few segments are drawn, whatever the two texts are, and what is left out is told", () => {
  const long = segmentsOf(Array(140_000).fill("a+").join(" ")), few = long.slice(0, 300);
  const told = (/** @type {import("./versions.js").Run[]} */ runs) =>
    [...iterDrawn(runs)].map((part) => (typeof part === "string" ? part : part.segments.length)).filter((part) => part !== 0);
  assert.deepEqual(told([{ kind: "removed", segments: few }, { kind: "added", segments: long }]), [300, 500, "… 278,000 more tokens added …", 500]);
  assert.deepEqual(told([{ kind: "kept", segments: long }, { kind: "added", segments: few }, { kind: "kept", segments: long }]), [
    "… 279,980 tokens kept …", 10, 300, 10, "… 279,980 tokens kept …",
  ]);
  for (const segments of [long, few, long.slice(0, 1_004), long.slice(0, 1)]) {
    const parts = told(Array.from({ length: 20_000 }, (_, i) => ({ kind: i % 2 ? "kept" : "removed", segments })));
    const nDrawn = parts.reduce((/** @type {number} */ sum, part) => sum + (typeof part === "number" ? part : 0), 0);
    assert.ok(nDrawn > 1_900 && nDrawn <= 3_000, `${nDrawn} segments`);
    assert.equal(parts.at(-1), "… more further on …");
  }
});
