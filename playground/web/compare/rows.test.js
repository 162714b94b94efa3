import assert from "node:assert/strict";
import { test } from "node:test";
import { askForRows, blockEnds, changeRows, groupAt, groupTokens, isDropped, iterColumns, kindsOf, signature } from "./rows.js";

/** @typedef {import("../shared/live_text.js").Piece} Piece */

const FIGURES = {
  tokenizer_name: "a", n_tokens: 0, n_words: 1, n_characters: 0, n_bytes: 0, tokens_against_first: 0, bytes_per_token: 0, characters_per_token: 0,
  tokens_per_word: 0, shared_boundaries: 0, n_vocab: 0,
};

/** Numbers that are the same at each run, from 0 up to a limit. @param {number} seed */
function drawsOf(seed) {
  return (/** @type {number} */ limit) => (seed = (seed * 48271) % 2147483647) % limit;
}

/** A text as the server reads it. @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text);

/**
 * A piece of tokens of one to three bytes, whatever characters they cut.
 * @param {string} text
 * @param {(limit: number) => number} draw
 * @returns {Piece}
 */
function pieceOf(text, draw) {
  const lengths = [];
  for (let left = bytesOf(text).length; left > 0; left -= lengths[lengths.length - 1]) lengths.push(Math.min(left, 1 + draw(3)));
  const ids = Uint32Array.from(lengths, () => draw(1000)), marks = Uint32Array.from([0, ...lengths], (_, n) => (n ? draw(3) : 0));
  return { nTokens: lengths.length, nUtf16: text.length, ids, lengths: Uint32Array.from(lengths), marks };
}

/** What is shown of a row. @param {import("./rows.js").Row} row */
const shown = ({ ids, positions, firsts, marks, nTokens }) => [[...ids], [...positions], [...firsts], [...marks], nTokens];

test("a group starts with each token that starts a character", () => {
  const draw = drawsOf(5);
  for (const text of ["", "abc", "é", "안녕 hi", "😀x😀", "a\ud83db", "\ude00", "e\u0301\r\n"]) {
    const { lengths } = pieceOf(text, draw);
    const unitAt = new Map([[0, 0]]); // from the byte at which a character starts to its UTF-16 unit
    let unit = 0, byte = 0;
    for (const character of text) unitAt.set((byte += bytesOf(character).length), (unit += character.length));
    /** @type {number[]} */
    const positions = [];
    /** @type {number[]} */
    const firsts = [];
    let start = 0;
    lengths.forEach((length, token) => {
      const at = unitAt.get(start);
      if (at !== undefined) {
        positions.push(at);
        firsts.push(token);
      }
      start += length;
    });
    const groups = groupTokens(text, lengths);
    assert.deepEqual([[...groups.positions], [...groups.firsts], groups.nTokens], [positions, firsts, lengths.length]);
  }
});

test("inserted tokens are groups of their own, also at the start and the end", () => {
  const { positions, firsts } = groupTokens("né", [0, 1, 0, 2, 0]);
  assert.deepEqual([[...positions], [...firsts]], [[0, 0, 1, 1, 2], [0, 1, 2, 3, 4]]);
});

test("dropped text is a group without tokens that starts nothing", () => {
  const row = groupTokens(" é  b!", Uint32Array.of(5, 2), Uint32Array.of(1, 2 << 2, 1 << 2));
  assert.deepEqual([[...row.positions], [...row.firsts]], [[0, 1, 2, 4, 5], [0, 0, 1, 1, 2]]);
  const columns = [...iterColumns([row], 0, 6)].map(({ from, to, groups: [group], nFound }) => [from, to, nFound, isDropped(row, group)]);
  assert.deepEqual(columns, [[0, 1, 0, true], [1, 2, 1, false], [2, 4, 0, true], [4, 5, 1, false], [5, 6, 0, true]]);
});

test("a group has the marks of all its tokens, and dropped text has none", () => {
  const row = groupTokens("é  b", Uint32Array.of(1, 1 + 2, 1), Uint32Array.of(0, 2, 1 + (2 << 2), 1));
  assert.deepEqual([[...row.positions], [...row.marks]], [[0, 1, 3], [3, 0, 1]]);
});

test("rows after any edits equal those of the whole text", () => {
  const draw = drawsOf(7), parts = ["", "a", "é ", "😀", "\r\n", "word ", "\ud83d", "안녕"];
  const some = () => Array.from({ length: 1 + draw(3) }, () => parts[draw(parts.length)]).join("");
  /** @type {{text: string, piece: Piece}[][]} */
  const held = [[], []]; // two rows of one text, in pieces of their own
  const textOf = (/** @type {number} */ r) => held[r].map(({ text }) => text).join("");
  /** @type {import("./rows.js").Row[] | null} */
  let rows = null;
  for (let n = 0; n < 300; n++) {
    const own = some(), first = draw(held[0].length + 1), n_removed = draw(held[0].length - first + 1);
    const make = (/** @type {string[]} */ texts) => texts.map((text) => ({ text, piece: pieceOf(text, draw) }));
    const added = make([own, some()]);
    held[0].splice(first, n_removed, ...added);
    const text = textOf(0), whole = make([text]); // the second row is one piece
    const n_old = held[1].length;
    held[1] = whole;
    const changed = [
      { ...FIGURES, first, n_removed, pieces: added.map(({ piece }) => piece) },
      { ...FIGURES, first: 0, n_removed: n_old, pieces: whole.map(({ piece }) => piece) },
    ];
    rows = changeRows(rows, changed, text);
    const fresh = changeRows(null, held.map((pieces) => ({ ...FIGURES, first: 0, n_removed: 0, pieces: pieces.map(({ piece }) => piece) })), text);
    assert.deepEqual(rows.map(shown), fresh.map(shown));
    rows.forEach((row, r) => assert.deepEqual([...row.ids], held[r].flatMap(({ piece }) => [...piece.ids])));
  }
});

test("an edit leaves the previous rows unchanged and brings new figures", () => {
  const piece = (/** @type {number[]} */ ids) => ({ nTokens: ids.length, nUtf16: ids.length, ids: Uint32Array.from(ids), lengths: new Uint32Array(ids.length).fill(1) });
  const before = changeRows(null, [{ ...FIGURES, first: 0, n_removed: 0, pieces: [piece([7]), piece([8, 9])] }], "abc");
  const after = changeRows(before, [{ ...FIGURES, tokens_against_first: 4, first: 0, n_removed: 1, pieces: [piece([1, 2])] }], "xybc");
  assert.deepEqual([...before[0].ids], [7, 8, 9]);
  assert.deepEqual([...after[0].ids], [1, 2, 8, 9]);
  assert.deepEqual([...after[0].positions], [0, 1, 2, 3]);
  assert.equal(after[0].tokens_against_first, 4);
});

/** A row whose groups start here; each has one token more than the one before. @param {number[]} positions @returns {import("./rows.js").Groups} */
function makeRow(...positions) {
  const firsts = positions.map((_, g) => (g * (g + 1)) / 2);
  const marks = new Uint8Array(positions.length), nTokens = (positions.length * (positions.length + 1)) / 2;
  return { positions: Uint32Array.from(positions), firsts: Uint32Array.from(firsts), marks, nTokens };
}

test("the group at a position is the last that starts at or before it", () => {
  const one = makeRow(0, 3, 4, 9);
  for (let position = 0; position < 12; position++) {
    const expected = [...one.positions].findLastIndex((start) => start <= position);
    assert.equal(groupAt(one, position), expected);
  }
});

test("a column ends where a group of any row starts or ends", () => {
  const columns = [...iterColumns([makeRow(0, 3, 5), makeRow(0, 5)], 0, 8)];
  assert.deepEqual(columns, [
    { from: 0, to: 3, groups: [0, 0], starts: [true, true], nFound: 2 },
    { from: 3, to: 5, groups: [1, 0], starts: [true, false], nFound: 1 },
    { from: 5, to: 8, groups: [2, 1], starts: [true, true], nFound: 2 },
  ]);
});

test("columns cover a range without gaps, and each group covers all its columns", () => {
  const rows = [makeRow(0, 2, 3, 7, 11), makeRow(0, 3, 6, 7), makeRow(0)];
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

test("parts with the same boundaries and counts have the same signature", () => {
  const one = [makeRow(0, 3, 5, 10)], moved = [makeRow(0, 2, 5, 7, 12)];
  assert.equal(signature(one, 3, 10).split(",")[0], "0");
  assert.notEqual(signature(one, 3, 10), signature(one, 5, 10));
  const same = { positions: moved[0].positions, firsts: Uint32Array.of(0, 0, 1, 3, 6), marks: new Uint8Array(5), nTokens: 10 };
  assert.equal(signature([same], 5, 12), signature(one, 3, 10));
  assert.notEqual(signature([{ ...same, firsts: Uint32Array.of(0, 0, 1, 4, 6) }], 5, 12), signature(one, 3, 10), "other counts");
  assert.notEqual(signature([{ ...same, marks: Uint8Array.of(0, 0, 1, 0, 0) }], 5, 12), signature(one, 3, 10), "another mark");
  assert.equal(signature([makeRow(0, 3, 5)], 3, 5), signature([makeRow(0, 3)], 3, 5).replace(",2", ",2"), "what starts at the end is not in it");
});

test("a group has the classes of all marks of its tokens", () => {
  const marked = { ...makeRow(0, 3, 4, 9), marks: Uint8Array.of(0, 1, 2, 3) };
  assert.deepEqual([0, 1, 2, 3].map((group) => kindsOf(marked, group)), [[], ["changed"], ["inserted"], ["changed", "inserted"]]);
});

test("blocks cover the text, end at lines or spaces, and never split a character", () => {
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

/** An answer as the server packs it. @param {object} header @param {number[][]} columns */
function packed(header, columns) {
  const head = new TextEncoder().encode(JSON.stringify({ ...header, columns: columns.map((column) => column.length) }).padEnd(400));
  const numbers = Uint32Array.from([head.length, ...columns.flat()]);
  return new Response(new Blob([numbers.slice(0, 1), head, numbers.slice(1)]));
}

test("an edit is sent with the server's names, and each row gets its own columns", async ({ mock }) => {
  const rows = [{ first: 1, n_removed: 2, pieces: [[2, 3, 0], [1, 1, 0]] }, { first: 0, n_removed: 1, pieces: [[1, 4, 2]] }];
  const columns = [[7, 8, 9], [1, 2, 1], [], [5], [4], [0, 8]];
  const fetch = mock.method(globalThis, "fetch", async () => packed({ version: 6, rows }, columns));
  const answer = await askForRows("/session/x", "edit", { version: 5, start: 2, n_deleted: 3, inserted: "d" });
  const [url, request] = /** @type {any[]} */ (fetch.mock.calls[0].arguments);
  assert.deepEqual([url, JSON.parse(request.body)], ["/session/x/edit", { version: 5, start: 2, n_deleted: 3, inserted: "d" }]);
  assert.equal(answer.version, 6);
  const changed = answer.rows.map(({ first, n_removed, pieces }) => [first, n_removed, pieces.map(({ nTokens, nUtf16, ids, lengths, marks = [] }) => [nTokens, nUtf16, [...ids], [...lengths], [...marks]])]);
  assert.deepEqual(changed, [[1, 2, [[2, 3, [7, 8], [1, 2], []], [1, 1, [9], [1], []]]], [0, 1, [[1, 4, [5], [4], [0, 8]]]]]);
});
