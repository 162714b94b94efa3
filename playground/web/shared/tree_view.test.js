import assert from "node:assert/strict";
import { test } from "node:test";
import { children, MOVES, parent, sibling, subtree } from "./tree_view.js";

/** @typedef {import("./tree_view.js").Node & {name: string}} Drawn */

/**
 * Draw a tree as the server does: parts before what they make, the left one nearest to it; then a caption.
 * @param {any} tree a name, or [name, …parts]
 * @returns {Map<string, Drawn>}
 */
function draw(tree) {
  /** @type {any[]} */
  const drawn = [];
  const place = (/** @type {any} */ node) => {
    const [name, ...parts] = Array.isArray(node) ? node : [node];
    const start = drawn.length;
    for (const part of parts.toReversed()) place(part);
    drawn.push({ name, dataset: { n: String(drawn.length - start + 1) } });
  };
  place(tree);
  drawn.push({ name: "caption", dataset: {} });
  drawn.forEach((node, i) => Object.assign(node, { previousElementSibling: drawn[i - 1] ?? null, nextElementSibling: drawn[i + 1] ?? null }));
  return new Map(drawn.map((node) => [node.name, node]));
}

const TOKEN = draw(["token", ["to", "t", "o"], ["ken", "k", ["en", "e", "n"]]]);
const DEEP = draw(["abcd", ["abc", ["ab", "a", "b"], "c"], "d"]);
const END = draw(["!?", "!", "?"]);
const ROOTS = /** @type {Drawn[]} */ ([TOKEN.get("token"), END.get("!?")]);
/** @param {string} name */
const node = (name) => /** @type {Drawn} */ (TOKEN.get(name) ?? END.get(name) ?? DEEP.get(name));
/** @param {(Drawn | null | undefined)[]} nodes */
const names = (...nodes) => nodes.map((found) => found?.name);

test("the parts of a node are listed from left to right", () => {
  assert.deepEqual(names(...children(node("token"))), ["to", "ken"]);
  assert.deepEqual(names(...children(node("ken"))), ["k", "en"]);
  assert.deepEqual(children(node("t")), []);
  assert.deepEqual(names(...children(node("abc"))), ["ab", "c"]);
});

test("a part's parent is its node, and a whole tree has none", () => {
  for (const name of ["token", "to", "ken", "en", "!?", "abcd", "abc", "ab"]) for (const part of children(node(name))) assert.equal(parent(part)?.name, name);
  assert.deepEqual(ROOTS.map(parent), [null, null]);
});

test("a subtree contains the node and everything below it", () => {
  assert.deepEqual(new Set(names(...subtree(node("ken")))), new Set(["ken", "k", "en", "e", "n"]));
  assert.equal(subtree(node("token")).length, 9);
  assert.deepEqual(names(...subtree(node("o"))), ["o"]);
});

test("sideways leads to the next node, also across parents and trees", () => {
  assert.deepEqual(names(sibling(node("to"), ROOTS, 1), sibling(node("ken"), ROOTS, -1)), ["ken", "to"]);
  assert.deepEqual(names(sibling(node("o"), ROOTS, 1)), ["ken"]);
  assert.deepEqual(names(sibling(node("n"), ROOTS, 1)), ["!?"]);
  assert.deepEqual(names(sibling(node("token"), ROOTS, -1), sibling(node("?"), ROOTS, 1)), [undefined, undefined]);
});

test("arrow keys lead in their directions", () => {
  const walk = ["ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowUp", "End", "ArrowLeft", "ArrowRight", "ArrowDown", "Home"];
  let at = ROOTS[0];
  const walked = walk.map((key) => (at = MOVES[key](at, ROOTS) ?? at).name);
  assert.deepEqual(walked, ["to", "ken", "k", "en", "ken", "token", "!?", "token", "!?", "!", "token"]);
  assert.equal(MOVES["ArrowUp"](ROOTS[0], ROOTS), null);
});
