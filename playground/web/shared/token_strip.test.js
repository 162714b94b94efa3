import assert from "node:assert/strict";
import { test } from "node:test";
import { colorBetween, fillColors, firstFree, keepColors, layTokens, N_COLORS, tokenClass } from "./token_strip.js";

test("a segment's classes name its colour, kinds, several tokens and a line end", () => {
  assert.equal(tokenClass("a", { color: 3, nTokens: 1, kinds: [] }), "t c3");
  assert.equal(tokenClass("é", { color: 0, nTokens: 2, kinds: ["special", "new"] }), "t c0 special new many");
  assert.equal(tokenClass("\r\n", { color: 1, nTokens: 1, kinds: [] }), "t c1 line blank");
});

test("a line may break before a visible space, and before a bare one if both occur", () => {
  /** @param {string} textContent */
  const made = (textContent) => /** @type {any} */ ({ textContent, parts: [], append(/** @type {any} */ part) { this.parts.push(part.textContent); } });
  globalThis.document = /** @type {any} */ ({ createDocumentFragment: () => made(""), createElement: () => made("|") });
  const laid = (starts = /^·/) => /** @type {any} */ (layTokens(["a", "·b", " c", ","].map(made), starts)).parts.join("");
  assert.equal(laid(), "a|·b c,");
  assert.equal(laid(/^[· ]/), "a|·b| c,");
});

/** @param {number[]} colors */
const hasEqualNeighbours = (colors) => colors.some((color, k) => k > 0 && color === colors[k - 1]);

test("a colour differs from both neighbours", () => {
  for (let previous = -1; previous < N_COLORS; previous++)
    for (let after = -1; after < N_COLORS; after++) {
      const color = colorBetween(previous, after);
      assert.ok(color >= 0 && color < N_COLORS && color !== previous && color !== after);
    }
});

test("missing colours are filled so that neighbours differ, and given ones stay", () => {
  for (let before = -1; before < N_COLORS; before++)
    for (let after = -1; after < N_COLORS; after++)
      for (let kept = 0; kept < N_COLORS; kept++) {
        if (kept === before || kept === after) continue;
        const filled = fillColors([-1, -1, kept, -1, -1], before, after);
        assert.equal(filled[2], kept);
        assert.ok(!hasEqualNeighbours([before, ...filled, after].filter((color) => color >= 0)));
      }
  assert.deepEqual(fillColors([], 1, 2), []);
});

test("tokens before and after an edit keep their colours", () => {
  const isSame = (/** @type {string} */ one, /** @type {string} */ other) => one === other;
  assert.deepEqual(keepColors([..."abcd"], [1, 2, 3, 4], [..."abxcd"], isSame), [1, 2, -1, 3, 4]);
  assert.deepEqual(keepColors([..."abcd"], [1, 2, 3, 4], [..."ad"], isSame), [1, 4]);
  assert.deepEqual(keepColors([], [], [..."ab"], isSame), [-1, -1]);
  assert.deepEqual(keepColors([..."aa"], [1, 2], [..."aaa"], isSame), [1, 2, -1]);
  assert.deepEqual(keepColors([..."ab"], [1, 2], [..."ab"], isSame), [1, 2]);
});

test("tokens that begin at the same place get different colours", () => {
  assert.equal(firstFree([0, 1, 2]), 3);
  assert.equal(firstFree([3, 0, 1]), 2);
  assert.equal(firstFree([-1, -1]), 0);
  assert.equal(firstFree([0, 1, 2, 3]), 1);
});
