import assert from "node:assert/strict";
import { test } from "node:test";
import { actionOf, keyName, KEYS } from "./dialogs.js";

/** A press of a key while something has the focus that matches a selector. @param {string} key @param {string} [focus] @param {object} [held] @param {boolean} [isPresenting] */
function press(key, focus = "", held = {}, isPresenting = false) {
  const target = /** @type {any} */ ({ closest: (/** @type {string} */ selector) => (focus && selector.split(", ").includes(focus) ? target : null) });
  return actionOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...held }, target, isPresenting);
}

test("each key of a keyboard or a presenter's remote has its action", () => {
  assert.deepEqual(["ArrowRight", " ", "n", "N", "PageDown"].map((key) => press(key)), Array(5).fill("next"));
  assert.deepEqual(["ArrowLeft", "p", "PageUp"].map((key) => press(key)), Array(3).fill("back"));
  assert.deepEqual(["b", ".", "f", "g", "r", "a", "?", "Escape"].map((key) => press(key)), ["blank", "blank", "full", "goto", "reset", "answer", "help", "escape"]);
  assert.deepEqual(["F5", "x", "Enter", "Tab"].map((key) => press(key)), [null, null, null, null]);
});

test("in a field, only Esc acts on the lesson", () => {
  for (const field of ["input", "textarea", "select"]) {
    for (const [, keys] of KEYS) for (const key of keys) assert.equal(press(key, field), key === "Escape" ? "escape" : null);
  }
});

test("a remote's keys change the step from a field: always in one line, in longer ones only while presenting", () => {
  for (const field of ["input", "textarea", "select"]) {
    assert.deepEqual(["PageDown", "PageUp", " ", "n"].map((key) => press(key, field, {}, true)), ["next", "back", null, null]);
  }
  const line = /** @type {any} */ ({ closest: (/** @type {string} */ selector) => (/input/.test(selector) ? line : null) });
  assert.equal(actionOf({ key: "PageDown", ctrlKey: false, metaKey: false, altKey: false }, line, false), "next");
});

test("while presenting, an empty answer field passes keys on to the lesson", () => {
  /** A field of one line. @param {string} leaves */
  const field = (leaves) => ({
    closest: (/** @type {string} */ selector) => selector.startsWith("input") || leaves.split(" ").some((kind) => kind && selector.includes(`"${kind}"`)),
  });
  const pressed = (/** @type {string} */ leaves, isPresenting = true) =>
    ["ArrowRight", " ", "a", "7", "Escape", "PageDown"].map((key) => actionOf({ key, ctrlKey: false, metaKey: false, altKey: false }, /** @type {any} */ (field(leaves)), isPresenting));
  assert.deepEqual(pressed("arrows space letters"), ["next", "next", "answer", null, "escape", "next"]);
  assert.deepEqual(pressed("arrows"), ["next", null, null, null, "escape", "next"]);
  assert.deepEqual(pressed(""), [null, null, null, null, "escape", "next"]);
  assert.deepEqual(pressed("arrows space letters", false), [null, null, null, null, "escape", "next"]);
});

test("buttons keep Space, panes keep arrows, and the browser keeps its shortcuts", () => {
  assert.equal(press(" ", "button"), null);
  assert.equal(press("PageDown", "button"), "next");
  assert.equal(press("ArrowRight", "[data-own-arrows]"), null);
  assert.equal(press("r", "", { ctrlKey: true }), null);
  assert.equal(press("n", "", { isComposing: true }), null);
});

test("no key has two actions", () => {
  const keys = KEYS.flatMap(([, own]) => own);
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(["ArrowRight", " ", "n", "PageDown"].map(keyName), ["→", "Space", "N", "PageDown"]);
});
