import assert from "node:assert/strict";
import { test } from "node:test";
import { Leaving } from "./leaving.js";
import { component } from "./mount.js";

/** A component that logs what happens to it, and an element to mount it on. */
function logged() {
  /** @type {string[]} */
  const log = [];
  let n = 0;
  const mount = component(".x", (_root, signal) => {
    const name = `#${++n}`;
    signal.addEventListener("abort", () => log.push(`${name} unheard`));
    return { update: ({ data }) => log.push(`${name} ${data}`), destroy: () => log.push(`${name} destroyed`) };
  });
  const root = { inert: true }, parentElement = /** @type {any} */ ({ querySelector: () => root });
  /** @param {string} data */
  const run = (data) => mount({ parentElement, data, setStateValue: () => {}, setTriggerValue: () => {} });
  return { log, root, run };
}

test("an element takes presses as soon as they are heard", () => {
  const { root, run } = logged();
  run("a");
  assert.equal(root.inert, false);
});

test("a press of before the code came is repeated once, with what the page gave", () => {
  const { log, root, run } = logged(), asked = /** @type {unknown[]} */ ([]);
  const button = { click: () => log.push("pressed") };
  const presses = { take: (/** @type {unknown} */ given) => (asked.push(given), button) };
  Object.assign(globalThis, { tesseraPresses: presses });
  run("a");
  run("b");
  Reflect.deleteProperty(globalThis, "tesseraPresses");
  assert.deepEqual(log, ["#1 a", "pressed", "#1 b"]);
  assert.deepEqual(asked, [root]);
});

test("one instance is made and then updated; its end comes once", () => {
  const { log, run } = logged();
  run("a");
  const end = run("b");
  end();
  end();
  assert.deepEqual(log, ["#1 a", "#1 b", "#1 unheard", "#1 destroyed"]);
});

test("an older mount that is taken back leaves the newer one alone", () => {
  const { log, run } = logged();
  const endOld = run("a");
  const endNew = run("b");
  endOld();
  assert.deepEqual(log, ["#1 a", "#1 b"]);
  endNew();
  assert.equal(log.at(-1), "#1 destroyed");
});

test("a mount after the end makes another instance, which the old end does not touch", () => {
  const { log, run } = logged();
  const end = run("a");
  end();
  run("b");
  end();
  assert.deepEqual(log, ["#1 a", "#1 unheard", "#1 destroyed", "#2 b"]);
});

test("an element that is missing is told", () => {
  const mount = component(".x", () => ({ update() {} }));
  const parentElement = /** @type {any} */ ({ querySelector: () => null });
  assert.throws(() => mount({ parentElement, data: 0, setStateValue() {}, setTriggerValue() {} }), /no \.x/);
});

test("a page that is left says nothing more", () => {
  /** @type {unknown[]} */
  const said = [];
  const leaving = { isLeaving: false };
  let say = (/** @type {string} */ _name) => {};
  const mount = component(".x", () => ({
    /** @param {import("./mount.js").Given<string, string>} given */
    update: ({ setStateValue, setTriggerValue }) => {
      say = (name) => (setStateValue(name, 1), setTriggerValue(name, 1));
    },
  }), leaving);
  const parentElement = /** @type {any} */ ({ querySelector: () => ({}) });
  mount({ parentElement, data: "", setStateValue: (name) => said.push(name), setTriggerValue: (name) => said.push(name) });
  say("settled");
  leaving.isLeaving = true;
  say("later");
  assert.deepEqual(said, ["settled", "settled"]);
});

test("a page that is reached is heard again, also once one has gone back from it", () => {
  /** @type {string[]} */
  const said = [];
  const at = { path: "/", title: "Tokenize" }, leaving = new Leaving(undefined, () => at, () => 0);
  /** @param {import("./mount.js").Given<null, "said">} given */
  const update = ({ setTriggerValue }) => {
    if (at.path === "/") setTriggerValue("said", at.path);
  };
  const mount = component(".x", () => ({ update }), leaving);
  const root = { inert: true }, parentElement = /** @type {any} */ ({ querySelector: () => root });
  const run = () => mount({ parentElement, data: null, setStateValue: () => {}, setTriggerValue: (/** @type {string} */ _name, /** @type {unknown} */ value) => said.push(String(value)) });
  leaving.leave();
  run();
  Object.assign(at, { path: "/merge_tree", title: "Merge tree" });
  run();
  Object.assign(at, { path: "/", title: "Tokenize" });
  run();
  assert.deepEqual(said, ["/"]);
});
