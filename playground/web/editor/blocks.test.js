import assert from "node:assert/strict";
import { test } from "node:test";
import { Block, cutBlocks, describeSpot, endOf, firstTokenOf, linkBlocks, spotAtCaret, spotOf, startOf, stepLine, stepSpot, stretchOf, tokensIn } from "./blocks.js";

const encoder = new TextEncoder();

/** A block of tokens with these texts; ids count from 10. @param {...string} texts */
function blockOf(...texts) {
  const lengths = Uint32Array.from(texts, (text) => encoder.encode(text).length);
  return new Block(texts.join(""), Uint32Array.from(texts, (_, i) => 10 + i), lengths);
}

/** @param {...string[]} blocks */
function linked(...blocks) {
  const made = blocks.map((texts) => blockOf(...texts));
  linkBlocks(made);
  return made;
}

/** @param {import("./blocks.js").Spot | null} spot */
const textAt = (spot) => spot && spot.block.segments[spot.k].text;

test("a long piece is divided into blocks of whole segments", () => {
  for (const line of ["one two three four six\n", "नेपाल 👩‍🚀 ", "x"]) {
    const text = line.repeat(500), nBytes = encoder.encode(text).length;
    const piece = { nTokens: nBytes, ids: Uint32Array.from({ length: nBytes }, (_, i) => i), lengths: new Uint32Array(nBytes).fill(1) };
    for (const source of [text, encoder.encode(text)]) {
      const blocks = cutBlocks(piece, source);
      assert.deepEqual(blocks.flatMap((block) => [...block.ids]), [...piece.ids]);
      assert.equal(blocks.flatMap((block) => block.segments.map((segment) => segment.text)).join(""), text);
      assert.ok(blocks.every((block) => block.ids.length < 1300));
      if (line.includes("\n")) assert.ok(blocks.slice(0, -1).every((block) => block.endsLine));
    }
  }
  assert.equal(cutBlocks({ nTokens: 0, ids: new Uint32Array(), lengths: new Uint32Array() }, "").length, 1);
});

test("the tokens of a line are counted across blocks, up to its line feed", () => {
  const [first, second, third] = linked(["a", "b\n", "c"], ["d", "e"], ["f", "\n", "g"]);
  assert.deepEqual([first.tokensOfLine(0), first.tokensOfLine(1), first.tokensOfLine(2)], [2, 1, 5]);
  assert.deepEqual([second.tokensOfLine(1), third.tokensOfLine(2)], [3, 1]);
  assert.deepEqual([first.startsLine, second.startsLine, third.startsLine], [true, false, false]);
  const [before, after] = linked(["a\n"], ["b"]);
  assert.ok(after.startsLine);
  assert.deepEqual([before.tokensOfLine(0), linked(["a"], ["b", "\n"], ["c"])[0].tokensOfLine(0)], [1, 3]);
});

test("bytes that a tokenizer drops belong to no token", () => {
  const block = new Block(" é", Uint32Array.of(1, 2, 3), Uint32Array.of(1, 1, 1), Uint32Array.of(1, 0, 0, 1 << 2));
  assert.deepEqual(block.bytesOf(0).map((bytes) => [...bytes]), [[]]);
  assert.deepEqual(block.bytesOf(1).map((bytes) => [...bytes]), [[0xc3], []]);
  const before = new Block(block.source, block.ids, block.lengths, Uint32Array.of(1, 0, 0, 0));
  assert.deepEqual(before.bytesOf(1).map((bytes) => [...bytes]), [[0xc3], [0xa9]]);
});

test("steps lead from end to end and back, across blocks", () => {
  const blocks = linked(["one", " two"], [" three"], [" four", " five"]);
  const seen = [];
  for (let spot = startOf(blocks[0]); spot; spot = stepSpot(spot, 1)) {
    assert.equal(firstTokenOf(spot), seen.length);
    assert.deepEqual(spotOf(blocks, seen.length), spot);
    seen.push(textAt(spot));
  }
  assert.deepEqual(seen, ["one", " two", " three", " four", " five"]);
  const back = [];
  for (let spot = endOf(blocks[2]); spot; spot = stepSpot(spot, -1)) back.unshift(textAt(spot));
  assert.deepEqual(back, seen);
  assert.equal(spotOf(blocks, 5), null);
  linkBlocks(blocks.slice(0, 2));
  assert.equal(stepSpot({ block: blocks[1], k: 0 }, 1), null, "a block that is gone is no neighbour");
});

test("a token's index counts all tokens of the text, also after segments of several", () => {
  const rocket = new Block("🚀", Uint32Array.of(5, 6), Uint32Array.of(3, 1)), [after] = linked(["a", "b"]);
  linkBlocks([rocket, after]);
  assert.equal(firstTokenOf({ block: after, k: 1 }), 3);
  assert.deepEqual([spotOf([rocket, after], 1), spotOf([rocket, after], 3)], [{ block: rocket, k: 0 }, { block: after, k: 1 }]);
});

test("up and down lead to the nearest segment on the next line", () => {
  const [block] = linked(["a", "b", "c", "d", "e", "f"]);
  // a b c
  // d   e
  //     f
  const boxes = [[0, 0], [0, 10], [0, 20], [20, 0], [20, 18], [40, 20]].map(([top, left]) => ({ top, left, height: 10 }));
  const boxOf = (/** @type {import("./blocks.js").Spot} */ { k }) => boxes[k];
  const step = (/** @type {number} */ k, /** @type {1 | -1} */ by) => textAt(stepLine({ block, k }, by, boxOf));
  assert.deepEqual([step(0, 1), step(1, 1), step(2, 1), step(4, 1)], ["d", "e", "e", "f"]);
  assert.deepEqual([step(4, -1), step(3, -1), step(5, -1)], ["c", "a", "e"]);
  assert.deepEqual([step(0, -1), step(5, 1)], [null, null]);
});

test("a spot is described by its ids, text and bytes", () => {
  const [block] = linked(["Hello", " é\n"]);
  assert.equal(describeSpot({ block, k: 0 }), '10  "Hello"  48 65 6C 6C 6F');
  assert.equal(describeSpot({ block, k: 1 }), '11  " é\\n"  20 C3 A9 0A');
  const rocket = new Block("🚀", Uint32Array.of(5, 6), Uint32Array.of(3, 1));
  assert.equal(describeSpot({ block: rocket, k: 0 }), '"🚀" is 2 tokens: 5 (F0 9F 9A), 6 (80)');
  const long = new Block("x".repeat(100), Uint32Array.of(1), Uint32Array.of(100));
  assert.equal(describeSpot({ block: long, k: 0 }), `1  "${"x".repeat(40)}…"  ${"78 ".repeat(16)}…`);
});

test("missing colours differ from those of the blocks around", () => {
  const [first, second, third] = linked(["a", "b"], ["c", "d"], ["e"]);
  first.color();
  third.colors = [3];
  second.color();
  const colors = [...(first.colors ?? []), ...(second.colors ?? []), 3];
  assert.ok(colors.every((color, i) => color >= 0 && color !== colors[i - 1]));
});

/** Blocks of texts, cut into tokens of these bytes. @param {[text: string, ...lengths: number[]][]} parts */
function blocksOf(...parts) {
  const blocks = parts.map(([text, ...lengths]) => new Block(text, Uint32Array.from(lengths), Uint32Array.from(lengths)));
  linkBlocks(blocks);
  return blocks;
}

const blocks = blocksOf(["one two", 3, 4], ["👋🏽 naïve", 2, 3, 3, 1, 2, 4], [" end", 4]);

/** What a slow reader says: the tokens whose bytes a stretch of UTF-16 units touches. @param {string} text @param {number[]} lengths @param {number} from @param {number} to */
function touchedSlowly(text, lengths, from, to) {
  const n = (/** @type {number} */ at) => new TextEncoder().encode(text.slice(0, at)).length;
  const [first, last] = [n(from), n(to)], found = /** @type {number[]} */ ([]);
  lengths.reduce((start, length, token) => {
    if (start < last && start + length > first && first < last) found.push(token);
    return start + length;
  }, 0);
  return found.length ? { first: found[0], last: Number(found.at(-1)) + 1 } : null;
}

test("the tokens of a range of text are those with a byte in it", () => {
  const text = "one two👋🏽 naïve end", lengths = blocks.flatMap((block) => [...block.lengths]);
  const isInside = (/** @type {number} */ at) => /[\udc00-\udfff]/.test(text[at] ?? ""); // half a pair is no place
  for (let from = 0; from <= text.length; from++) {
    for (let to = from; to <= text.length; to++) {
      if (isInside(from) || isInside(to)) continue;
      assert.deepEqual(tokensIn(blocks, { from, to }), touchedSlowly(text, lengths, from, to), `${from} to ${to}`);
    }
  }
});

test("only the blocks at the ends of a long range are searched", () => {
  const many = blocksOf(...Array.from({ length: 1000 }, () => /** @type {[string, number, number]} */ (["one two", 3, 4])));
  assert.deepEqual(tokensIn(many, { from: 1, to: 6999 }), { first: 0, last: 2000 });
  assert.equal(many.filter((block) => block.madeSegments).length, 2);
});

test("a caret belongs to the segment before it, and a segment has its range of text", () => {
  const all = (/** @type {number} */ at) => {
    const spot = spotAtCaret(blocks, at);
    return spot && [blocks.indexOf(spot.block), spot.k];
  };
  assert.deepEqual([0, 1, 3, 4, 7].map(all), [[0, 0], [0, 0], [0, 0], [0, 1], [0, 1]]);
  assert.deepEqual(all(8), [1, 0]);
  assert.deepEqual(all(11), [1, 0], "the hand and its colour are one");
  assert.equal(all(99), null);
  assert.equal(spotAtCaret([], 0), null);
  assert.deepEqual([0, 1, 2].map((at) => textAt(spotAtCaret(linked(["a"], ["b"]), at))), ["a", "a", "b"]);
  assert.deepEqual(stretchOf(blocks, { block: blocks[1], k: 0 }), { from: 7, to: 11 });
  assert.deepEqual(stretchOf(blocks, { block: blocks[2], k: 0 }), { from: 17, to: 21 });
});
