import assert from "node:assert/strict";
import { test } from "node:test";
import { findEdit, SourceText, TextHistory } from "./source_text.js";

/** @param {string} before @param {string} after */
function applied(before, after) {
  const [start, nDeleted, inserted] = findEdit(before, after);
  assert.equal(before.slice(0, start) + inserted + before.slice(start + nDeleted), after);
  return [start, nDeleted, inserted];
}

test("an edit is minimal and turns one text into the other", () => {
  assert.deepEqual(applied("", ""), [0, 0, ""]);
  assert.deepEqual(applied("", "abc"), [0, 0, "abc"]);
  assert.deepEqual(applied("abc", ""), [0, 3, ""]);
  assert.deepEqual(applied("one two", "one too"), [5, 1, "o"]);
  assert.deepEqual(applied("aaa", "aaaa"), [3, 0, "a"]);
  assert.deepEqual(applied("abab", "ab"), [2, 2, ""]);
});

test("an edit never splits a surrogate pair", () => {
  assert.deepEqual(applied("a😀b", "a😁b"), [1, 2, "😁"]); // the first halves are the same
  assert.deepEqual(applied("a𝀀b", "a🀀b"), [1, 2, "🀀"]); // the second halves are the same
  assert.deepEqual(applied("😀", "😀😀"), [2, 0, "😀"]);
});

test("for any two texts, applying the edit gives the second", () => {
  const texts = [""];
  for (let i = 0; i < 121; i++) texts.push(...["a", "b", "\n"].map((letter) => texts[i] + letter));
  for (const before of texts.slice(0, 121)) for (const after of texts.slice(0, 121)) applied(before, after);
});

test("a textarea's source is its own text until the first edit", () => {
  const text = "alpha\r\nbeta\r\ngamma\ndelta\r", source = new SourceText(text);
  assert.deepEqual([source.text, source.view], [text, "alpha\nbeta\ngamma\ndelta\n"]);
  source.adopt(source.view);
  assert.equal(source.text, text);
});

test("an edit keeps the carriage returns around it", () => {
  const source = new SourceText("alpha\r\nbeta\r\ngamma\ndelta\r");
  source.adopt("alpha\nbeXYta\ngamma\ndelta\n");
  assert.equal(source.text, "alpha\r\nbeXYta\r\ngamma\ndelta\r");
  source.adopt("alphabeXYta\ngamma\ndelta\n"); // joins the first two lines: CRLF goes as a whole
  assert.equal(source.text, "alphabeXYta\r\ngamma\ndelta\r");
});

test("a new line gets the line end that all other lines have", () => {
  const windows = new SourceText("a\r\nb\r\n");
  windows.adopt("a\nnew\nb\n");
  assert.equal(windows.text, "a\r\nnew\r\nb\r\n");
  const mixed = new SourceText("a\r\nb\n");
  mixed.adopt("a\nnew\nb\n");
  assert.equal(mixed.text, "a\r\nnew\nb\n");
  const old = new SourceText("a\rb");
  old.adopt("a\nnew\nb");
  assert.equal(old.text, "a\rnew\nb");
});

test("for any edit, the view equals the textarea's text", () => {
  const texts = ["\r\n", "a\r\nb", "\r\r\n\n\r", "x\n\r\ny\r", "\r\n\r\n\r\n"];
  for (const text of texts) {
    const shown = new SourceText(text).view;
    for (let from = 0; from <= shown.length; from++)
      for (let to = from; to <= shown.length; to++)
        for (const typed of ["", "z", "\n"]) {
          const source = new SourceText(text), view = shown.slice(0, from) + typed + shown.slice(to);
          source.adopt(view);
          assert.equal(source.view, view);
          assert.equal(new SourceText(source.text).view, view, JSON.stringify([text, from, to, typed]));
        }
  }
});

test("positions convert between view and text", () => {
  const source = new SourceText("a\r\nb\rc\nd\r\n");
  for (let at = 0; at <= source.view.length; at++) {
    assert.equal(source.toView(source.toText(at)), at);
    assert.equal(source.text.slice(0, source.toText(at)).replace(/\r\n?/g, "\n"), source.view.slice(0, at));
  }
});

test("undo and redo restore any text, including its line ends", () => {
  const source = new SourceText("opened\r\nwith"), seen = [source.text];
  const keep = () => seen.push(source.text);
  source.adopt("opened\nwith this");
  keep();
  source.set("an\rexample\r\n");
  keep();
  source.adopt("");
  keep();
  source.set("😀\nlast");
  keep();
  const steps = (/** @type {"back" | "again"} */ way) => {
    const caret = source.step(way);
    assert.ok(caret === null || caret <= source.view.length);
    assert.equal(source.view, source.text.replace(/\r\n?/g, "\n"));
    return caret === null ? null : source.text;
  };
  assert.deepEqual([1, 2, 3, 4, 5].map(() => steps("back")), [...seen.slice(0, -1).toReversed(), null]);
  assert.deepEqual([1, 2, 3, 4, 5].map(() => steps("again")), [...seen.slice(1), null]);
});

test("after undo, the caret is behind the change", () => {
  const source = new SourceText("a\r\nb\r\nd");
  source.adopt("a\nb\nc and d");
  assert.equal(source.step("back"), 4);
  assert.equal(source.step("again"), 10);
});

test("a newly opened text has nothing to undo or redo", () => {
  const source = new SourceText("");
  source.adopt("typed", true);
  assert.equal(source.step("back"), 0);
  source.set("an example");
  assert.deepEqual([source.step("again"), source.step("back"), source.text], [null, null, "an example"]);
  source.adopt("an example, typed", true);
  source.open("another\r\ntext");
  assert.deepEqual([source.step("back"), source.view], [null, "another\ntext"]);
});

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

  /** @param {import("./source_text.js").TextEdit | null} one */
  apply(one) {
    if (!one) return;
    assert.equal(this.text.slice(one.start, one.start + one.deleted.length), one.deleted);
    this.text = this.text.slice(0, one.start) + one.inserted + this.text.slice(one.start + one.deleted.length);
  }

  /** The texts that successive steps lead to. @param {"back" | "again"} way @param {number} n */
  texts(way, n) {
    return Array.from({ length: n }, () => {
      this.apply(this.history[way]());
      return this.text;
    });
  }
}

test("each edit can be undone, and redone until the next edit", () => {
  const written = new Written().write(edit(0, "", "one"), edit(3, "", " two"), edit(0, "one", "1"));
  assert.deepEqual(written.texts("back", 4), ["one two", "one", "", ""]);
  assert.deepEqual(written.texts("again", 2), ["one", "one two"]);
  written.write(edit(7, "", "!"));
  assert.deepEqual(written.texts("again", 1), ["one two!"]);
  assert.deepEqual(written.texts("back", 3), ["one two", "one", ""]);
});

test("typing without a pause is one edit, and a new line begins another", () => {
  const typed = (/** @type {string} */ letters, /** @type {number} */ pause) => new Written().write(...[...letters].map((letter, i) => edit(i, "", letter, i * pause)));
  assert.deepEqual(typed("abc", 1_000).texts("back", 1), [""]);
  assert.deepEqual(typed("abc", 1_001).texts("back", 3), ["ab", "a", ""]);
  assert.deepEqual(typed("ab\ncd", 10).texts("back", 2), ["ab", ""]);
  assert.deepEqual(typed("ab", 10).write(edit(2, "", " pasted"), edit(9, "", "c", 20)).texts("back", 3), ["ab pasted", "ab", ""]);
  const elsewhere = new Written().write(edit(0, "", "old "), edit(4, "", "a", 10), edit(0, "", "x", 20));
  assert.deepEqual(elsewhere.texts("back", 2), ["old a", "old "]);
});

test("deletions while typing belong to the same edit, and so do the letters of a composed word", () => {
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

test("typing after undo keeps the text that was there", () => {
  const written = new Written().write(edit(0, "", "a", 0), edit(1, "", " pasted"));
  written.texts("back", 1);
  written.write(edit(1, "", "b", 5));
  assert.deepEqual(written.texts("back", 2), ["a", ""]);
});

test("edits beyond the memory limit are dropped from the oldest, except the last one", () => {
  const long = "x".repeat(3_000_000), written = new Written();
  for (let i = 0; i < 4; i++) written.write(edit(0, "", long));
  assert.deepEqual(written.texts("back", 3).map(({ length }) => length / 3_000_000), [3, 2, 2]);
  assert.deepEqual(new Written().write(edit(0, "", long.repeat(4))).texts("back", 1), [""]);
});
