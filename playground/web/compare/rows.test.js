import assert from "node:assert/strict";
import { test } from "node:test";
import { isDropped, iterColumns } from "./groups.js";
import { changeRows, groupTokens } from "./rows.js";

/** @typedef {import("../shared/text_edits.js").Piece} Piece */

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

test("tokens that were inserted are groups of their own, at the start and at the end too", () => {
  const { positions, firsts } = groupTokens("né", [0, 1, 0, 2, 0]);
  assert.deepEqual([[...positions], [...firsts]], [[0, 0, 1, 1, 2], [0, 1, 2, 3, 4]]);
});

test("text that was dropped is a group without tokens, which starts nothing", () => {
  const row = groupTokens(" é  b!", Uint32Array.of(5, 2), Uint32Array.of(1, 2 << 2, 1 << 2));
  assert.deepEqual([[...row.positions], [...row.firsts]], [[0, 1, 2, 4, 5], [0, 0, 1, 1, 2]]);
  const columns = [...iterColumns([row], 0, 6)].map(({ from, to, groups: [group], nFound }) => [from, to, nFound, isDropped(row, group)]);
  assert.deepEqual(columns, [[0, 1, 0, true], [1, 2, 1, false], [2, 4, 0, true], [4, 5, 1, false], [5, 6, 0, true]]);
});

test("a group has the marks of all its tokens, and dropped text has none", () => {
  const row = groupTokens("é  b", Uint32Array.of(1, 1 + 2, 1), Uint32Array.of(0, 2, 1 + (2 << 2), 1));
  assert.deepEqual([[...row.positions], [...row.marks]], [[0, 1, 3], [3, 0, 1]]);
});

test("rows that are changed by any edits are those of the whole text", () => {
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

test("an edit leaves the rows before it as they were, and brings its figures", () => {
  const piece = (/** @type {number[]} */ ids) => ({ nTokens: ids.length, nUtf16: ids.length, ids: Uint32Array.from(ids), lengths: new Uint32Array(ids.length).fill(1) });
  const before = changeRows(null, [{ ...FIGURES, first: 0, n_removed: 0, pieces: [piece([7]), piece([8, 9])] }], "abc");
  const after = changeRows(before, [{ ...FIGURES, tokens_against_first: 4, first: 0, n_removed: 1, pieces: [piece([1, 2])] }], "xybc");
  assert.deepEqual([...before[0].ids], [7, 8, 9]);
  assert.deepEqual([...after[0].ids], [1, 2, 8, 9]);
  assert.deepEqual([...after[0].positions], [0, 1, 2, 3]);
  assert.equal(after[0].tokens_against_first, 4);
});
