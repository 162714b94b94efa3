import assert from "node:assert/strict";
import { test } from "node:test";
import { layTokens, tokenClass } from "./token_strip.js";

test("the class of a segment tells its colour, its kinds, several tokens and an end of a line", () => {
  assert.equal(tokenClass("a", { color: 3, nTokens: 1, kinds: [] }), "t c3");
  assert.equal(tokenClass("é", { color: 0, nTokens: 2, kinds: ["special", "new"] }), "t c0 special new many");
  assert.equal(tokenClass("\r\n", { color: 1, nTokens: 1, kinds: [] }), "t c1 line");
});

test("a line may break before a space that is shown as a mark, and before a bare one where the two are mixed", () => {
  /** @param {string} textContent */
  const made = (textContent) => /** @type {any} */ ({ textContent, parts: [], append(/** @type {any} */ part) { this.parts.push(part.textContent); } });
  globalThis.document = /** @type {any} */ ({ createDocumentFragment: () => made(""), createElement: () => made("|") });
  const laid = (starts = /^·/) => /** @type {any} */ (layTokens(["a", "·b", " c", ","].map(made), starts)).parts.join("");
  assert.equal(laid(), "a|·b c,");
  assert.equal(laid(/^[· ]/), "a|·b| c,");
});
