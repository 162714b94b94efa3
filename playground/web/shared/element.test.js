import assert from "node:assert/strict";
import { test } from "node:test";
import { countCommonEnds, fillKept } from "./element.js";

test("the common start and the common end of two lists don't overlap", () => {
  const isSame = (/** @type {number} */ one, /** @type {number} */ other) => one === other;
  assert.deepEqual(countCommonEnds([1, 1, 1], [1, 1], isSame), [2, 0]);
  assert.deepEqual(countCommonEnds([1, 2, 3], [1, 9, 3], isSame), [1, 1]);
  assert.deepEqual(countCommonEnds([], [1], isSame), [0, 0]);
});

/** A stand-in for an element, with the used properties. */
function makeBox() {
  /** @type {any[]} */
  const children = [];
  const insertBefore = (/** @type {any} */ node, /** @type {any} */ next) => {
    node.remove = () => children.splice(children.indexOf(node), 1);
    children.splice(next ? children.indexOf(next) : children.length, 0, node);
  };
  return { children, insertBefore };
}

test("only changed items of a row are redrawn", () => {
  const box = makeBox();
  /** @type {string[]} */
  const made = [];
  const fill = (/** @type {string} */ items) => {
    made.length = 0;
    fillKept(/** @type {any} */ (box), [...items], (item) => {
      made.push(item);
      return /** @type {any} */ ({ item });
    });
    return box.children.map(({ item }) => item).join("");
  };
  box.insertBefore({ item: "." }, null);
  assert.deepEqual([fill("abcd"), made.join("")], ["abcd.", "abcd"]);
  assert.deepEqual([fill("abXcd"), made.join("")], ["abXcd.", "X"]);
  assert.deepEqual([fill("abYd"), made.join("")], ["abYd.", "Y"]);
  assert.deepEqual([fill("abYd"), made.join("")], ["abYd.", ""]);
  assert.deepEqual([fill("aa"), made.join("")], ["aa.", "a"]);
  assert.deepEqual([fill(""), made.join("")], [".", ""]);
  assert.deepEqual([fill("b"), made.join("")], ["b.", "b"]);
});
