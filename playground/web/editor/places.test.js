import assert from "node:assert/strict";
import { test } from "node:test";
import { Block, linkBlocks } from "./blocks.js";
import { spotAtCaret, stretchOf, tokensIn } from "./places.js";

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

test("the tokens of a stretch are those whose bytes it touches", () => {
  const text = "one two👋🏽 naïve end", lengths = blocks.flatMap((block) => [...block.lengths]);
  const isInside = (/** @type {number} */ at) => /[\udc00-\udfff]/.test(text[at] ?? ""); // half a pair is no place
  for (let from = 0; from <= text.length; from++) {
    for (let to = from; to <= text.length; to++) {
      if (isInside(from) || isInside(to)) continue;
      assert.deepEqual(tokensIn(blocks, { from, to }), touchedSlowly(text, lengths, from, to), `${from} to ${to}`);
    }
  }
});

test("of a long stretch only the blocks at its ends are looked into", () => {
  const many = blocksOf(...Array.from({ length: 1000 }, () => /** @type {[string, number, number]} */ (["one two", 3, 4])));
  assert.deepEqual(tokensIn(many, { from: 1, to: 6999 }), { first: 0, last: 2000 });
  assert.equal(many.filter((block) => block.madeSegments).length, 2);
});

test("a caret stands in the segment before it, and a segment has its stretch", () => {
  const all = (/** @type {number} */ at) => {
    const spot = spotAtCaret(blocks, at);
    return spot && [blocks.indexOf(spot.block), spot.k];
  };
  assert.deepEqual([0, 1, 3, 4, 7].map(all), [[0, 0], [0, 0], [0, 0], [0, 1], [0, 1]]);
  assert.deepEqual(all(8), [1, 0]);
  assert.deepEqual(all(11), [1, 0], "the hand and its colour are one");
  assert.equal(all(99), null);
  assert.equal(spotAtCaret([], 0), null);
  assert.deepEqual(stretchOf(blocks, { block: blocks[1], k: 0 }), { from: 7, to: 11 });
  assert.deepEqual(stretchOf(blocks, { block: blocks[2], k: 0 }), { from: 17, to: 21 });
});
