import assert from "node:assert/strict";
import test from "node:test";

class Part extends EventTarget {
  value = "";
  classList = { add() {}, remove() {} };
}
const { HTMLElement, HTMLInputElement, HTMLTextAreaElement } = globalThis;
Object.assign(globalThis, { HTMLElement: Part, HTMLInputElement: class extends Part {}, HTMLTextAreaElement: class extends Part {} });
const { TextField } = await import("./text_field.js");

test.after(() => Object.assign(globalThis, { HTMLElement, HTMLInputElement, HTMLTextAreaElement }));

/** A field in which something was typed before its code came, and the texts that it has handed on. @param {string} typed */
async function fieldWith(typed) {
  const area = new globalThis.HTMLTextAreaElement(), input = new globalThis.HTMLInputElement(), other = new globalThis.HTMLElement();
  area.value = typed;
  const root = { querySelector: (/** @type {string} */ selector) => ({ ".text": area, ".file": input })[selector] ?? other };
  const texts = /** @type {string[]} */ ([]), nothing = () => {};
  const field = new TextField(/** @type {any} */ (root), new AbortController().signal, {
    getLimit: () => 100, onText: (text) => texts.push(text), onTooLong: nothing, onProblem: nothing, onNotes: nothing,
  });
  assert.deepEqual(texts, [], "whoever makes the field is not ready");
  await Promise.resolve();
  return { field, texts };
}

test("what was typed before the code came is taken", async () => {
  const { field, texts } = await fieldWith("early");
  assert.equal(field.text, "early");
  assert.deepEqual(texts, ["early"]);
});

test("an empty field hands nothing on", async () => {
  assert.deepEqual((await fieldWith("")).texts, []);
});
