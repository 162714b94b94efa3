import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedTexts } from "./shared_texts.js";

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
  const texts = new SharedTexts(tabStore());
  assert.equal(texts.textOf("tokenize"), null);
  assert.equal(texts.followed("compare"), null);
  assert.equal(texts.other("merge_tree"), null);
});

test("an edited page keeps its text, and the other pages show the text edited last", () => {
  const texts = new SharedTexts(tabStore());
  texts.change("tokenize", "one");
  texts.change("compare", "two");
  assert.equal(texts.textOf("tokenize"), "one");
  assert.equal(texts.textOf("compare"), "two");
  assert.equal(texts.textOf("merge_tree"), "two");
  texts.change("tokenize", "three");
  assert.equal(texts.textOf("compare"), "two");
  assert.equal(texts.textOf("merge_tree"), "three");
  assert.equal(texts.other("compare"), "tokenize");
  assert.equal(texts.other("tokenize"), null);
});

test("the text of a token is shown on a page until its reader goes back to the text that was there", () => {
  const store = tabStore(), texts = new SharedTexts(store);
  texts.change("compare", "my text");
  texts.bring("compare", " token");
  assert.deepEqual([texts.textOf("compare"), texts.textOf("tokenize"), texts.other("compare")], [" token", "my text", null]);
  texts.change("compare", " tokens");
  texts.save();
  const reloaded = new SharedTexts(store);
  assert.deepEqual([reloaded.textOf("compare"), reloaded.textOf("tokenize")], [" tokens", "my text"]);
  reloaded.takeBack("compare");
  assert.equal(reloaded.textOf("compare"), "my text");
});

test("an empty text is shared and saved like any other", () => {
  const texts = new SharedTexts(tabStore());
  texts.change("tokenize", "");
  assert.equal(texts.textOf("merge_tree"), "");
});

test("equal texts offer no exchange, and a page that drops its own text follows again", () => {
  const texts = new SharedTexts(tabStore());
  texts.change("compare", "same");
  texts.change("tokenize", "same");
  assert.equal(texts.other("compare"), null);
  texts.change("tokenize", "newer");
  texts.follow("compare");
  assert.equal(texts.textOf("compare"), "newer");
  assert.equal(texts.followed("compare"), "tokenize");
});

test("a text given to one page doesn't appear on the others", () => {
  const texts = new SharedTexts(tabStore());
  texts.give("merge_tree", " token");
  assert.equal(texts.textOf("merge_tree"), " token");
  assert.equal(texts.textOf("tokenize"), null);
  texts.change("tokenize", "a text");
  assert.equal(texts.textOf("merge_tree"), " token");
});

test("a text set by the server is taken over once", () => {
  const texts = new SharedTexts(tabStore());
  assert.equal(texts.takes("/session/a", 0), false);
  assert.equal(texts.takes("/session/a", 1), true);
  assert.equal(texts.takes("/session/a", 1), false);
  assert.equal(texts.takes("/session/a", 2), true);
  assert.equal(texts.takes("/session/b", 1), true);
});

test("a reload restores the texts and which page follows which", () => {
  const store = tabStore(), texts = new SharedTexts(store);
  texts.change("tokenize", "one\r\n\ud83d");
  texts.change("compare", "two");
  texts.save();
  texts.follow("compare");
  texts.change("tokenize", "three");
  const unsaved = new SharedTexts(store);
  assert.deepEqual([unsaved.textOf("tokenize"), unsaved.textOf("merge_tree")], ["one\r\n\ud83d", "two"]);
  texts.save();
  const saved = new SharedTexts(store);
  assert.deepEqual([saved.textOf("compare"), saved.followed("compare")], ["three", "tokenize"]);
});

test("the data of Formats stay there", () => {
  const texts = new SharedTexts(tabStore());
  texts.change("formats", "{}");
  assert.deepEqual([texts.textOf("formats"), texts.textOf("tokenize")], ["{}", null]);
  texts.change("tokenize", "one");
  assert.deepEqual([texts.textOf("formats"), texts.other("formats"), texts.followed("formats")], ["{}", null, null]);
});
