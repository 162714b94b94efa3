import assert from "node:assert/strict";
import { test } from "node:test";
import { component, noteLink } from "./mount.js";

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
  const part = { isInert: true, removeAttribute: () => (part.isInert = false) };
  const root = { isLoading: true, removeAttribute: () => (root.isLoading = false), querySelectorAll: () => [part] };
  const parentElement = /** @type {any} */ ({ querySelector: () => root });
  /** @param {string} data */
  const run = (data) => mount({ parentElement, data, setStateValue: () => {}, setTriggerValue: () => {} });
  return { log, part, root, run };
}

test("an element takes clicks as soon as its code listens", () => {
  const { part, root, run } = logged();
  run("a");
  assert.equal(part.isInert, false);
  assert.equal(root.isLoading, false);
});

test("one instance is made and then updated; its end comes once", () => {
  const { log, run } = logged();
  run("a");
  const end = run("b");
  end();
  end();
  assert.deepEqual(log, ["#1 a", "#1 b", "#1 unheard", "#1 destroyed"]);
});

test("ending an older mount leaves the newer one running", () => {
  const { log, run } = logged();
  const endOld = run("a");
  const endNew = run("b");
  endOld();
  assert.deepEqual(log, ["#1 a", "#1 b"]);
  endNew();
  assert.equal(log.at(-1), "#1 destroyed");
});

test("a missing element is an error", () => {
  const mount = component(".x", () => ({ update() {} }));
  const parentElement = /** @type {any} */ ({ querySelector: () => null });
  assert.throws(() => mount({ parentElement, data: 0, setStateValue() {}, setTriggerValue() {} }), /no \.x/);
});

test("after a link was clicked, the old page sends no events until the new page is open", () => {
  const { location } = globalThis, said = /** @type {string[]} */ ([]);
  const at = { pathname: "/" };
  Object.assign(globalThis, { location: at });
  let say = () => {};
  const mount = component(".x", () => ({
    /** @param {import("./mount.js").Given<null, string>} given */
    update: ({ setTriggerValue }) => {
      say = () => setTriggerValue("settled", 1);
    },
  }));
  mount({ parentElement: /** @type {any} */ ({ querySelector: () => ({ removeAttribute() {}, querySelectorAll: () => [] }) }), data: null, setStateValue() {}, setTriggerValue: () => said.push(at.pathname) });
  const press = (/** @type {object} */ how) => noteLink(/** @type {any} */ ({ target: { closest: () => ({ pathname: "/compare", target: "" }) }, ...how }));
  press({ ctrlKey: true }); // opens another tab
  say();
  press({});
  say();
  at.pathname = "/compare";
  say();
  Object.assign(globalThis, { location });
  assert.deepEqual(said, ["/", "/compare"]);
});
