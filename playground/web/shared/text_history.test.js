import assert from "node:assert/strict";
import test from "node:test";
import { TextHistory } from "./text_history.js";

/** @param {number} start @param {string} deleted @param {string} inserted @param {number} [time] given: it is typed */
const edit = (start, deleted, inserted, time) => ({ start, deleted, inserted, isTyped: time !== undefined, time: time ?? 0 });

/** A text and its history. */
class Written {
  text = "";
  history = new TextHistory();

  /** @param {ReturnType<typeof edit>[]} edits */
  write(...edits) {
    for (const one of edits) {
      this.apply(one);
      this.history.add(one);
    }
    return this;
  }

  /** @param {import("./text_history.js").TextEdit | null} one */
  apply(one) {
    if (!one) return;
    assert.equal(this.text.slice(one.start, one.start + one.deleted.length), one.deleted);
    this.text = this.text.slice(0, one.start) + one.inserted + this.text.slice(one.start + one.deleted.length);
  }

  /** The texts that so many steps lead to. @param {"back" | "again"} way @param {number} n */
  texts(way, n) {
    return Array.from({ length: n }, () => {
      this.apply(this.history[way]());
      return this.text;
    });
  }
}

test("each edit is taken back, and made again until another one is made", () => {
  const written = new Written().write(edit(0, "", "one"), edit(3, "", " two"), edit(0, "one", "1"));
  assert.deepEqual(written.texts("back", 4), ["one two", "one", "", ""]);
  assert.deepEqual(written.texts("again", 2), ["one", "one two"]);
  written.write(edit(7, "", "!"));
  assert.deepEqual(written.texts("again", 1), ["one two!"]);
  assert.deepEqual(written.texts("back", 3), ["one two", "one", ""]);
});

test("what is typed without a pause is one edit, a new line begins another", () => {
  const typed = (/** @type {string} */ letters, /** @type {number} */ pause) => new Written().write(...[...letters].map((letter, i) => edit(i, "", letter, i * pause)));
  assert.deepEqual(typed("abc", 1_000).texts("back", 1), [""]);
  assert.deepEqual(typed("abc", 1_001).texts("back", 3), ["ab", "a", ""]);
  assert.deepEqual(typed("ab\ncd", 10).texts("back", 2), ["ab", ""]);
  assert.deepEqual(typed("ab", 10).write(edit(2, "", " pasted"), edit(9, "", "c", 20)).texts("back", 3), ["ab pasted", "ab", ""]);
  const elsewhere = new Written().write(edit(0, "", "old "), edit(4, "", "a", 10), edit(0, "", "x", 20));
  assert.deepEqual(elsewhere.texts("back", 2), ["old a", "old "]);
});

test("letters that are taken back while one types belong to it, and so do those of a word that is being composed", () => {
  const mended = new Written().write(edit(0, "", "w", 0), edit(1, "", "x", 1), edit(1, "x", "", 2), edit(1, "", "y", 3));
  assert.deepEqual(mended.texts("back", 1), [""]);
  assert.deepEqual(mended.texts("again", 1), ["wy"]);
  const composed = new Written().write(edit(0, "", "k", 0), edit(0, "k", "か", 1), edit(0, "か", "火", 2));
  assert.deepEqual(composed.texts("back", 1), [""]);
  for (const places of [[4, 3, 2], [2, 2, 2]]) { // backwards, and forwards
    const gone = new Written().write(edit(0, "", "abcde"));
    gone.write(...places.map((place, i) => edit(place, gone.text[places[1] === 2 ? 2 + i : place], "", i)));
    assert.equal(gone.text, "ab");
    assert.deepEqual(gone.texts("back", 2), ["abcde", ""]);
  }
});

test("who types on after an edit was taken back keeps what stood there", () => {
  const written = new Written().write(edit(0, "", "a", 0), edit(1, "", " pasted"));
  written.texts("back", 1);
  written.write(edit(1, "", "b", 5));
  assert.deepEqual(written.texts("back", 2), ["a", ""]);
});

test("the oldest of many megabytes is let go, never the last", () => {
  const long = "x".repeat(3_000_000), written = new Written();
  for (let i = 0; i < 4; i++) written.write(edit(0, "", long));
  assert.deepEqual(written.texts("back", 3).map(({ length }) => length / 3_000_000), [3, 2, 2]);
  assert.deepEqual(new Written().write(edit(0, "", long.repeat(4))).texts("back", 1), [""]);
});
