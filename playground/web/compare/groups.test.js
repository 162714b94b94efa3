import assert from "node:assert/strict";
import { test } from "node:test";
import { blockEnds, groupAt, iterColumns, kindsOf, signature, tokensOf } from "./groups.js";

/** A row whose groups start here; each has one token more than the one before. @param {number[]} positions @returns {import("./groups.js").Groups} */
function row(...positions) {
  const firsts = positions.map((_, g) => (g * (g + 1)) / 2);
  const marks = new Uint8Array(positions.length), nTokens = (positions.length * (positions.length + 1)) / 2;
  return { positions: Uint32Array.from(positions), firsts: Uint32Array.from(firsts), marks, nTokens };
}

test("the group at a position is the last that starts there or before", () => {
  const one = row(0, 3, 4, 9);
  for (let position = 0; position < 12; position++) {
    const expected = [...one.positions].findLastIndex((start) => start <= position);
    assert.equal(groupAt(one, position), expected);
  }
});

test("a group has the tokens up to the next", () => {
  const one = row(0, 3, 4);
  assert.deepEqual([0, 1, 2].map((group) => tokensOf(one, group)), [[0, 1], [1, 3], [3, 6]]);
});

test("a column ends where any row goes on", () => {
  const columns = [...iterColumns([row(0, 3, 5), row(0, 5)], 0, 8)];
  assert.deepEqual(columns, [
    { from: 0, to: 3, groups: [0, 0], starts: [true, true], nFound: 2 },
    { from: 3, to: 5, groups: [1, 0], starts: [true, false], nFound: 1 },
    { from: 5, to: 8, groups: [2, 1], starts: [true, true], nFound: 2 },
  ]);
});

test("columns cover a stretch without gaps, and each group stands over all its columns", () => {
  const rows = [row(0, 2, 3, 7, 11), row(0, 3, 6, 7), row(0)];
  for (const [start, end] of [[0, 13], [3, 7], [2, 12], [0, 0]]) {
    let at = start;
    for (const { from, to, groups, starts } of iterColumns(rows, start, end)) {
      assert.equal(from, at);
      assert.ok(to > from);
      rows.forEach((one, r) => {
        assert.equal(groups[r], groupAt(one, from));
        assert.equal(groupAt(one, to - 1), groups[r]);
        assert.equal(starts[r], one.positions.includes(from));
      });
      at = to;
    }
    assert.equal(at, end);
  }
});

test("stretches look the same where their boundaries and counts are the same", () => {
  const one = [row(0, 3, 5, 10)], moved = [row(0, 2, 5, 7, 12)];
  assert.equal(signature(one, 3, 10).split(",")[0], "0");
  assert.notEqual(signature(one, 3, 10), signature(one, 5, 10));
  const same = { positions: moved[0].positions, firsts: Uint32Array.of(0, 0, 1, 3, 6), marks: new Uint8Array(5), nTokens: 10 };
  assert.equal(signature([same], 5, 12), signature(one, 3, 10));
  assert.notEqual(signature([{ ...same, firsts: Uint32Array.of(0, 0, 1, 4, 6) }], 5, 12), signature(one, 3, 10), "other counts");
  assert.notEqual(signature([{ ...same, marks: Uint8Array.of(0, 0, 1, 0, 0) }], 5, 12), signature(one, 3, 10), "another mark");
  assert.equal(signature([row(0, 3, 5)], 3, 5), signature([row(0, 3)], 3, 5).replace(",2", ",2"), "what starts at the end is not in it");
});

test("a group has the look of all marks of its tokens", () => {
  const marked = { ...row(0, 3, 4, 9), marks: Uint8Array.of(0, 1, 2, 3) };
  assert.deepEqual([0, 1, 2, 3].map((group) => kindsOf(marked, group)), [[], ["changed"], ["inserted"], ["changed", "inserted"]]);
});

test("blocks hold the text, end at lines or spaces, and never cut a character in two", () => {
  const texts = ["a b ".repeat(400), "word\n".repeat(300), "x".repeat(3000), "😀".repeat(700), `x${"😀".repeat(700)}`, "", "short"];
  for (const text of texts) {
    const ends = blockEnds(text, 200);
    assert.equal(ends.at(-1) ?? 0, text.length);
    let start = 0;
    for (const end of ends) {
      const block = text.slice(start, end);
      assert.ok(block.length > 0 && block.length <= 301);
      assert.ok(block.isWellFormed());
      start = end;
    }
  }
  assert.ok(blockEnds(texts[1], 200).slice(0, -1).every((end) => texts[1][end - 1] === "\n"));
  assert.ok(blockEnds(texts[0], 200).slice(0, -1).every((end) => texts[0][end] === " "));
});
