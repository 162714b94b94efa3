import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, DeskField } from "./desk.js";

/** A store of a tab. */
function tabStore() {
  /** @type {Map<string, string>} */
  const items = new Map();
  return /** @type {Storage} */ (/** @type {unknown} */ ({
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void items.set(key, value),
    removeItem: (/** @type {string} */ key) => void items.delete(key),
  }));
}

test("pages open with their own examples until the reader edits a text", () => {
  const desk = new Desk(tabStore());
  assert.equal(desk.textOf("tokenize"), null);
  assert.equal(desk.followed("compare"), null);
  assert.equal(desk.other("merge_tree"), null);
});

test("an edited page keeps its text, and the other pages show the text edited last", () => {
  const desk = new Desk(tabStore());
  desk.change("tokenize", "one");
  desk.change("compare", "two");
  assert.equal(desk.textOf("tokenize"), "one");
  assert.equal(desk.textOf("compare"), "two");
  assert.equal(desk.textOf("merge_tree"), "two");
  desk.change("tokenize", "three");
  assert.equal(desk.textOf("compare"), "two");
  assert.equal(desk.textOf("merge_tree"), "three");
  assert.equal(desk.other("compare"), "tokenize");
  assert.equal(desk.other("tokenize"), null);
});

test("the text of a token is shown on a page until its reader goes back to the text that was there", () => {
  const store = tabStore(), desk = new Desk(store);
  desk.change("compare", "my text");
  desk.bring("compare", " token");
  assert.deepEqual([desk.textOf("compare"), desk.textOf("tokenize"), desk.other("compare")], [" token", "my text", null]);
  desk.change("compare", " tokens");
  desk.save();
  const reloaded = new Desk(store);
  assert.deepEqual([reloaded.textOf("compare"), reloaded.textOf("tokenize")], [" tokens", "my text"]);
  reloaded.takeBack("compare");
  assert.equal(reloaded.textOf("compare"), "my text");
});

test("an empty text is shared and saved like any other", () => {
  const desk = new Desk(tabStore());
  desk.change("tokenize", "");
  assert.equal(desk.textOf("merge_tree"), "");
});

test("equal texts offer no exchange, and a page that drops its own text follows again", () => {
  const desk = new Desk(tabStore());
  desk.change("compare", "same");
  desk.change("tokenize", "same");
  assert.equal(desk.other("compare"), null);
  desk.change("tokenize", "newer");
  desk.follow("compare");
  assert.equal(desk.textOf("compare"), "newer");
  assert.equal(desk.followed("compare"), "tokenize");
});

test("a text given to one page doesn't appear on the others", () => {
  const desk = new Desk(tabStore());
  desk.give("merge_tree", " token");
  assert.equal(desk.textOf("merge_tree"), " token");
  assert.equal(desk.textOf("tokenize"), null);
  desk.change("tokenize", "a text");
  assert.equal(desk.textOf("merge_tree"), " token");
});

test("a text set by the server is taken over once", () => {
  const desk = new Desk(tabStore());
  assert.equal(desk.takes("/session/a", 0), false);
  assert.equal(desk.isNew("/session/a", 0), false);
  assert.equal(desk.isNew("/session/a", 1), true);
  assert.equal(desk.takes("/session/a", 1), true);
  assert.equal(desk.isNew("/session/a", 1), false);
  assert.equal(desk.takes("/session/a", 1), false);
  assert.equal(desk.takes("/session/a", 2), true);
  assert.equal(desk.takes("/session/b", 1), true);
});

test("a reload restores the texts and which page follows which", () => {
  const store = tabStore(), desk = new Desk(store);
  desk.change("tokenize", "one\r\n\ud83d");
  desk.change("compare", "two");
  desk.save();
  desk.follow("compare");
  desk.change("tokenize", "three");
  const unsaved = new Desk(store);
  assert.deepEqual([unsaved.textOf("tokenize"), unsaved.textOf("merge_tree")], ["one\r\n\ud83d", "two"]);
  desk.save();
  const saved = new Desk(store);
  assert.deepEqual([saved.textOf("compare"), saved.followed("compare")], ["three", "tokenize"]);
});

test("a link's text replaces the reader's own, which can be restored", () => {
  const store = /** @type {any} */ ({ getItem: () => null, setItem() {}, removeItem() {} }), desk = new Desk(store);
  /** @type {[string, string | undefined][]} */
  const offered = [];
  const field = /** @type {any} */ ({ takeEarly() {}, offerBack: (/** @type {string} */ text, /** @type {string} */ _sentence, /** @type {string} */ lost) => offered.push([text, lost]) });
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

test("a text typed before the page's code had loaded stays, and an earlier one can be restored", () => {
  const store = tabStore(), desk = new Desk(store);
  /** @type {[string, string | undefined][]} */
  const offered = [];
  const offerBack = (/** @type {string} */ text, /** @type {string} */ _sentence, /** @type {string} */ lost) => offered.push([text, lost]);
  const pageOf = (/** @type {string} */ typed) => {
    const field = /** @type {any} */ ({ takeEarly: () => typed && page.change(typed), offerBack });
    const page = new DeskField("merge_tree", () => ({ field, onText() {} }), desk);
    return page;
  };
  assert.equal(pageOf("early").opening("/session/1", 0, "example"), "early");
  assert.deepEqual(offered, []);
  const reloaded = pageOf("other");
  assert.equal(reloaded.opening("/session/2", 0, "example"), "other");
  reloaded.change("another");
  assert.deepEqual(offered, [["other", "early"]]);
});
