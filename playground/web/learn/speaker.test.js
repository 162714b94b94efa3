import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { TabMemory } from "../shared/tab_memory.js";
import { Speaker } from "./speaker.js";

/** A second window that records whether it listens for keys. */
class Beside {
  closed = false;
  /** @type {Set<unknown>} */
  heard = new Set();
  /** @param {string} _type @param {unknown} listener */
  addEventListener(_type, listener) {
    this.heard.add(listener);
  }
  /** @param {string} _type @param {unknown} listener */
  removeEventListener(_type, listener) {
    this.heard.delete(listener);
  }
}

/** @type {Map<string, string>} */
let store;
/** @type {Speaker[]} */
const speakers = [];
let nOpened = 0, beside = new Beside();
const before = Object.getOwnPropertyDescriptor(globalThis, "window");

beforeEach(() => {
  store = new Map();
  nOpened = 0;
  beside = new Beside();
  const open = () => {
    nOpened += 1;
    return beside;
  };
  Object.defineProperty(globalThis, "window", { value: { open }, configurable: true, writable: true });
});
afterEach(() => {
  for (const speaker of speakers.splice(0)) speaker.end(); // otherwise its clock would keep a failed test running
  if (before) Object.defineProperty(globalThis, "window", before);
  else Reflect.deleteProperty(globalThis, "window");
});

/** A page that has the notes of the same tab. */
function page() {
  const kept = { getItem: (/** @type {string} */ key) => store.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => store.set(key, value), removeItem: (/** @type {string} */ key) => store.delete(key) };
  const speaker = new Speaker(() => {}, new TabMemory(/** @type {any} */ (kept), "notes"));
  speakers.push(speaker);
  speaker.resume();
  return speaker;
}

test("after a reload, the page receives keys from the open notes window again", () => {
  const first = page();
  assert.equal(nOpened, 0, "nothing opens by itself");
  first.open();
  first.end();
  assert.equal(beside.heard.size, 0);
  const second = page();
  assert.equal(beside.heard.size, 1);
  second.end();
});

test("a reload doesn't open a closed window", () => {
  const first = page();
  first.open();
  beside.closed = true;
  first.end();
  page();
  assert.equal(nOpened, 1);
});

test("the clock continues after a reload and after S is pressed again", ({ mock: { timers } }) => {
  timers.enable({ apis: ["Date"], now: 1_000 });
  const first = page();
  first.open();
  timers.tick(60_000);
  first.open();
  first.end();
  const second = page();
  assert.equal(second.since, 1_000);
  beside.closed = true;
  second.open();
  assert.equal(second.since, 61_000);
  second.end();
});
