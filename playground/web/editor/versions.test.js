import assert from "node:assert/strict";
import { test } from "node:test";
import { countRuns, iterDrawn, makeRuns, matchSequences, partedOf } from "./versions.js";

/** Segments of words; one with a "+" is of two tokens. @param {string} words */
function segmentsOf(words) {
  let first = 0;
  return words.split(" ").map((text) => {
    const last = first + (text.endsWith("+") ? 2 : 1), segment = { text, first, last, nBytes: text.length };
    first = last;
    return segment;
  });
}

test("removed tokens come before added ones, between unchanged ones", () => {
  const old = segmentsOf("a b+ c d"), now = segmentsOf("a x y d e");
  const key = (/** @type {{text: string}} */ { text }) => text.charCodeAt(0);
  const runs = makeRuns(matchSequences(old.map(key), now.map(key)).matches, old, now);
  const shown = runs.map(({ kind, segments }) => `${kind}: ${segments.map(({ text }) => text).join(" ")}`);
  assert.deepEqual(shown, ["kept: a", "removed: b+ c", "added: x y", "kept: d", "added: e"]);
  assert.deepEqual(countRuns(runs), { kept: 2, removed: 3, added: 3 });
});

test("segments whose tokens don't spell their text are drawn in parts", () => {
  const segments = segmentsOf("a b");
  assert.deepEqual(partedOf({ segments, marks: new Uint32Array() }), segments);
  const [first, second] = partedOf({ segments, marks: Uint32Array.of(0, 1, 2 + (1 << 2)) });
  assert.deepEqual([first.parts?.isChanged, first.parts?.own], [true, "a"]);
  assert.deepEqual([second.parts?.isInserted, second.parts?.own, second.parts?.behind], [true, "", "b"]);
});

test("a bounded number of segments is drawn, with a note on the rest", () => {
  const long = segmentsOf(Array(140_000).fill("a+").join(" ")), few = long.slice(0, 300);
  const shown = (/** @type {import("./versions.js").Run[]} */ runs) =>
    [...iterDrawn(runs)].map((part) => (typeof part === "string" ? part : part.segments.length)).filter((part) => part !== 0);
  assert.deepEqual(shown([{ kind: "removed", segments: few }, { kind: "added", segments: long }]), [300, 500, "… 278,000 more tokens added …", 500]);
  assert.deepEqual(shown([{ kind: "kept", segments: long }, { kind: "added", segments: few }, { kind: "kept", segments: long }]), [
    "… 279,980 tokens kept …", 10, 300, 10, "… 279,980 tokens kept …",
  ]);
  for (const segments of [long, few, long.slice(0, 1_004), long.slice(0, 1)]) {
    const parts = shown(Array.from({ length: 20_000 }, (_, i) => ({ kind: i % 2 ? "kept" : "removed", segments })));
    const nDrawn = parts.reduce((/** @type {number} */ sum, part) => sum + (typeof part === "number" ? part : 0), 0);
    assert.ok(nDrawn > 1_900 && nDrawn <= 3_000, `${nDrawn} segments`);
    assert.equal(parts.at(-1), "… more further on …");
  }
});

/** Numbers as a fair die gives them, the same each time. @param {number} seed */
function die(seed) {
  let state = seed;
  return (/** @type {number} */ sides) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % sides;
}

/** The length of the longest common subsequence, by the table that everyone knows. @param {number[]} old @param {number[]} now */
function longestCommon(old, now) {
  let row = Array.from({ length: now.length + 1 }, () => 0);
  for (const one of old) {
    const next = [0];
    now.forEach((other, i) => next.push(one === other ? row[i] + 1 : Math.max(row[i + 1], next[i])));
    row = next;
  }
  return row[now.length];
}

/** Matches must be the same in both, in order, and not overlap. @param {number[]} old @param {number[]} now */
function checked(old, now) {
  const result = matchSequences(old, now);
  let a = 0, b = 0, nKept = 0;
  for (const match of result.matches) {
    assert.ok(match.old >= a && match.now >= b && match.length > 0);
    [a, b] = [match.old + match.length, match.now + match.length];
    assert.deepEqual(old.slice(match.old, a), now.slice(match.now, b));
    nKept += match.length;
  }
  return { ...result, nKept };
}

test("the longest common subsequence stays unchanged", () => {
  for (let seed = 0; seed < 300; seed++) {
    const roll = die(seed), numbers = () => Array.from({ length: roll(12) }, () => roll(4));
    const old = numbers(), now = numbers(), { nKept, isLeast } = checked(old, now);
    assert.equal(nKept, longestCommon(old, now), `${old} and ${now}`);
    assert.ok(isLeast);
  }
});

test("equal and empty sequences are compared", () => {
  assert.deepEqual(matchSequences([1, 2, 3], [1, 2, 3]).matches, [{ old: 0, now: 0, length: 3 }]);
  assert.deepEqual(matchSequences([], [1]).matches, []);
  assert.deepEqual(matchSequences([], []).matches, []);
  assert.deepEqual(matchSequences([1, 2, 3, 4], [1, 9, 3, 4]).matches, [{ old: 0, now: 0, length: 1 }, { old: 2, now: 2, length: 2 }]);
});

test("a long prompt edited in a few places keeps the rest", () => {
  const roll = die(7), old = Array.from({ length: 30_000 }, () => roll(5_000)), now = [...old];
  for (let edit = 0; edit < 300; edit++) now.splice(roll(now.length), roll(4), ...Array.from({ length: roll(3) }, () => 9_000 + roll(9)));
  const { nKept } = checked(old, now);
  assert.ok(nKept > old.length - 300 * 4, `${nKept} stay`);
});

test("the work is limited for any two sequences", () => {
  const roll = die(3), of = (/** @type {number} */ sides) => Array.from({ length: 250_000 }, () => roll(sides));
  for (const [old, now] of [[of(2), of(2)], [of(100_000), of(100_000)], [of(1e9), of(1e9)], [of(3), of(3).toReversed()]]) {
    const { nSteps } = checked(old, now);
    assert.ok(nSteps < 8_000_000, `${nSteps} steps`);
  }
});
