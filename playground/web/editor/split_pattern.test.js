import assert from "node:assert/strict";
import { test } from "node:test";
import { Block } from "./blocks.js";
import { cutClasses, isUnchanged, PatternCuts, switched } from "./split_pattern.js";

const ALTERNATIVES = [{ text: "a", name: "letters", is_on: true }];
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** @param {number[]} ids */
const blockOf = (ids) => new Block("x".repeat(ids.length), Uint32Array.from(ids), Uint32Array.from(ids, () => 1));

/** Cuts whose pieces are one block each; a token's number is its id. @param {Block[]} blocks */
function asked(blocks) {
  /** @type {number[][]} */
  const sent = [];
  /** @type {Block[]} */
  const fresh = [];
  let nKnown = 0;
  const cuts = new PatternCuts({
    ask: async (placesOf) => {
      const pieces = placesOf();
      sent.push(pieces);
      return { can_change: true, alternatives: ALTERNATIVES, cuts: pieces.map((n) => [...blocks[n].ids]) };
    },
    placeOf: (block) => (blocks.includes(block) ? { piece: blocks.indexOf(block), first: 0 } : null),
    onNew: (added) => fresh.push(...added),
    onKnown: () => nKnown++,
  });
  return { cuts, sent, fresh, nKnown: () => nKnown };
}

test("a number encodes an alternative and whether a token begins a pretoken", () => {
  assert.deepEqual([-1, undefined, NaN].map(cutClasses), [[], [], []]);
  assert.deepEqual(cutClasses(1), ["kind0"]);
  assert.deepEqual(cutClasses(2), ["kind1", "goes-on"]);
  assert.deepEqual(cutClasses(13), ["kind0", "striped"]);
});

test("blocks needed at the same moment are requested together, and removed ones are not", async () => {
  const blocks = [blockOf([1, 2]), blockOf([3])], gone = blockOf([9]);
  const { cuts, sent, fresh, nKnown } = asked(blocks);
  for (const block of [...blocks, gone, blocks[0]]) assert.equal(cuts.of(block), undefined);
  await settle();
  assert.deepEqual(sent, [[0, 1]]);
  assert.deepEqual(fresh, blocks);
  assert.deepEqual([cuts.of(blocks[0]), cuts.of(blocks[1])], [[1, 2], [3]]);
  assert.deepEqual([cuts.alternatives, nKnown()], [ALTERNATIVES, 1]);
  await settle();
  assert.equal(sent.length, 1);
});

test("many pieces are requested in several requests", async () => {
  const blocks = Array.from({ length: 45 }, (_, n) => blockOf([n]));
  const { cuts, sent, fresh } = asked(blocks);
  for (const block of blocks) cuts.of(block);
  for (let n = 0; n < 5; n++) await settle();
  assert.deepEqual(sent.map((pieces) => pieces.length), [20, 20, 5]);
  assert.equal(fresh.length, 45);
});

test("a new block looks like the one it replaces until its numbers are known", async () => {
  const blocks = [blockOf([1, 3, 5])];
  const { cuts, sent } = asked(blocks);
  cuts.of(blocks[0]);
  await settle();
  const edited = blockOf([1, 8, 7, 5]);
  cuts.inherit([blocks[0]], [edited]);
  blocks[0] = edited;
  assert.deepEqual(cuts.of(edited)?.slice(0, 4), [1, 1, 1, 5]);
  await settle();
  assert.deepEqual([cuts.of(edited), sent.length], [[1, 8, 7, 5], 2]);
});

test("a chat is not cut, and a new text is requested again", async () => {
  const blocks = [blockOf([1])];
  const { cuts, sent } = asked(blocks);
  cuts.isText = false;
  assert.equal(cuts.of(blocks[0]), undefined);
  await settle();
  assert.deepEqual(sent, []);
  cuts.isText = true;
  cuts.of(blocks[0]);
  await settle();
  cuts.forget();
  assert.deepEqual([cuts.of(blocks[0]), cuts.alternatives], [undefined, null]);
  await settle();
  assert.equal(sent.length, 2);
});

test("a press switches one alternative off, and the next press on again", () => {
  const own = { own: "", off: [] }, without = switched(switched(own, 4), 2);
  assert.deepEqual([without, isUnchanged(without)], [{ own: "", off: [2, 4] }, false]);
  assert.deepEqual(switched(switched(without, 2), 4), own);
  assert.equal(isUnchanged(own), true);
  assert.equal(isUnchanged({ own: "a", off: [] }), false);
});
