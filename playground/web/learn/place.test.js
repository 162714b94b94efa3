import assert from "node:assert/strict";
import { test } from "node:test";
import { isReadToEnd, placeOf, Progress, readPlace, describePlace, walk, writePlace } from "./place.js";

const STOPS = [
  { slug: "a", number: 0, n_steps: 2, in_class: true },
  { slug: "b", number: 1, n_steps: 3, in_class: false },
  { slug: "c", number: 2, n_steps: 1, in_class: true },
];

test("an address with a lesson and step is read and written back", () => {
  for (const search of ["", "?lesson=b&step=3", "?lesson=a&step=1&present=1", "?lesson=c&step=1&present=1&way=class", "?way=class"]) {
    assert.equal(writePlace(readPlace(search, STOPS), search), search);
  }
  assert.equal(writePlace(readPlace("?lesson=b&step=2", STOPS), "?type=large&lesson=a"), "?type=large&lesson=b&step=2");
});

test("an unknown lesson or step gives a message and the nearest step", () => {
  assert.deepEqual(readPlace("?lesson=x&step=2", STOPS), { lesson: null, step: 0, isPresenting: false, way: "all", from: "", asked: "x" });
  for (const [step, nearest] of /** @type {[string, number][]} */ ([["99", 3], ["x", 0], ["-1", 0], ["1e9", 0], ["2.5", 0]])) {
    const place = readPlace(`?lesson=b&step=${step}`, STOPS);
    assert.deepEqual([place.step, place.asked], [nearest, step]);
  }
  assert.equal(readPlace("?lesson=b", STOPS).asked, "");
});

test("steps walk through all lessons, there and back", () => {
  for (const [way, expected] of /** @type {["all" | "class", string][]} */ ([["all", "a0 a1 a2 b0 b1 b2 b3 c0 c1"], ["class", "a0 a1 a2 c0 c1"]])) {
    let place = readPlace(`?way=${way}`, STOPS);
    const walked = [];
    for (let next = walk(place, 1, STOPS); next !== place; next = walk(place, 1, STOPS)) {
      place = next;
      walked.push(`${place.lesson}${place.step}`);
    }
    assert.equal(walked.join(" "), expected);
    const back = [`${place.lesson}${place.step}`];
    for (let next = walk(place, -1, STOPS); next !== place; next = walk(place, -1, STOPS)) {
      place = next;
      back.unshift(`${place.lesson}${place.step}`);
    }
    assert.equal(back.join(" "), expected);
  }
});

test("a place is described by the number that the list has, also in the selection", () => {
  const described = (/** @type {string} */ search) => describePlace(readPlace(search, STOPS), STOPS);
  assert.equal(described("?lesson=b&step=2"), "Lesson 1 of 2 · step 2 of 3");
  assert.equal(described("?lesson=c&step=1&way=class"), "Lesson 2 of 2 · step 1 of 1");
  assert.equal(described("?lesson=b&step=0&way=class"), "Lesson 1 of 2 · guess");
});

test("from a lesson outside the selection, steps lead to its neighbours in the selection", () => {
  const place = readPlace("?lesson=b&step=3&way=class", STOPS);
  assert.equal(walk(place, 1, STOPS).lesson, "c");
  assert.equal(walk({ ...place, step: 0 }, -1, STOPS).lesson, "a");
});

test("a class returns from a lesson outside its selection to the step from which it was opened", () => {
  const before = readPlace("?lesson=a&step=1&way=class", STOPS), opened = placeOf("b", before, before, STOPS);
  assert.equal(writePlace(opened, ""), "?lesson=b&step=0&way=class&from=a.1");
  for (const [step, direction] of /** @type {[number, 1 | -1][]} */ ([[3, 1], [0, -1]])) {
    assert.deepEqual(walk({ ...opened, step }, direction, STOPS), before);
  }
  assert.equal(placeOf("b", { ...before, lesson: null }, before, STOPS).from, "a.1", "opened from the list");
  assert.equal(placeOf("c", opened, opened, STOPS).from, "", "a lesson of the selection");
  assert.equal(readPlace("?lesson=b&way=class&from=a.9", STOPS).from, "");
});

test("progress is saved, and two tabs add to it", () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const store = /** @type {any} */ ({ getItem: (/** @type {string} */ key) => kept.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => kept.set(key, value) });
  const one = new Progress(store), other = new Progress(store);
  one.mark("a", "answered");
  other.mark("b", "read");
  one.mark("a", "read");
  assert.deepEqual(["a", "b", "c"].map((slug) => one.of(slug)), ["answered", "read", undefined]);
  kept.set("tessera.learn.progress", '{"a": 7}');
  assert.equal(one.of("a"), undefined);
});

test("a lesson counts as read after a step to its end, not after a jump", () => {
  const at = (/** @type {string | null} */ lesson, /** @type {number} */ step) => ({ lesson, step, isPresenting: false, way: /** @type {const} */ ("all"), from: "", asked: "" });
  const isRead = [[at("a", 2), at("a", 3)], [at("a", 1), at("a", 3)], [at("b", 1), at("a", 3)], [null, at("a", 3)], [at("a", 1), at("a", 2)]].map(([before, place]) =>
    isReadToEnd(before, /** @type {import("./place.js").Place} */ (place), 3));
  assert.deepEqual(isRead, [true, false, false, false, false]);
  assert.equal(isReadToEnd(at("a", 0), at("a", 1), 1), true);
});
