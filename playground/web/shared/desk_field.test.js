import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk } from "./desk.js";
import { DeskField } from "./desk_field.js";

test("a text of one's own that a link takes the place of is offered back, and no text of another page", () => {
  const store = /** @type {any} */ ({ getItem: () => null, setItem() {}, removeItem() {} }), desk = new Desk(store);
  /** @type {[string, string | undefined][]} */
  const offered = [];
  const field = /** @type {any} */ ({ offerBack: (/** @type {string} */ text, /** @type {string} */ _sentence, /** @type {string} */ lost) => offered.push([text, lost]) });
  const use = () => ({ field, onText() {} });
  const tokenize = new DeskField("tokenize", use, desk), trees = new DeskField("merge_tree", use, desk);
  assert.equal(tokenize.opening("/session/1", 0, "example"), "example");
  tokenize.change("mine");
  assert.equal(tokenize.opening("/session/2", 0, "example"), "mine", "a server that was started anew");
  assert.equal(trees.opening("/session/3", 1, "opened there"), "opened there");
  assert.deepEqual(offered, []);
  assert.equal(tokenize.opening("/session/4", 1, "of a link"), "of a link");
  assert.equal(tokenize.opening("/session/4", 1, "of a link"), "of a link");
  assert.deepEqual(offered, [["of a link", "mine"]]);
});
