import assert from "node:assert/strict";
import { test } from "node:test";
import { holdField, typeHeldAgain } from "./held_field.js";

class Field {
  text = "";
  get value() {
    return this.text;
  }
  set value(text) {
    this.text = text;
  }
  getAttribute() {
    return "Price";
  }
  focus() {}
  blur() {}
  dispatchEvent() {}
}
class Visit {
  type = "reload";
}
const world = /** @type {any} */ (globalThis);
const classes = { HTMLInputElement: Field, HTMLTextAreaElement: Visit, HTMLElement: Field, PerformanceNavigationTiming: Visit };

/**
 * What stands in a field some looks after 7.25 was held in /formats and the page came again with 2.5.
 * @param {{href?: string, type?: string, meanwhile?: Event}} how
 */
function comeBack({ href = "/formats", type = "reload", meanwhile }) {
  const document = new EventTarget(), field = new Field(), held = new Field();
  /** @type {(() => void)[]} */
  const looks = [];
  const ours = { ...classes, document, location: { href: "/formats" }, setTimeout: (/** @type {() => void} */ look) => looks.push(look) };
  const before = Object.fromEntries(Object.keys(ours).map((name) => [name, world[name]])), { getEntriesByType } = performance;
  Object.assign(world, ours);
  held.value = "7.25";
  holdField(/** @type {any} */ (held));
  field.value = "2.5";
  world.location = { href };
  performance.getEntriesByType = () => /** @type {any} */ ([Object.assign(new Visit(), { type })]);
  typeHeldAgain(() => [/** @type {any} */ (field)], () => false, new AbortController().signal);
  if (meanwhile) document.dispatchEvent(meanwhile);
  for (const look of looks) look();
  Object.assign(world, before);  // other files' tests run in this process, too
  performance.getEntriesByType = getEntriesByType;
  return field.value;
}

/** @param {boolean} isTrusted whether a person typed it */
const input = (isTrusted) => Object.defineProperty(new Event("input"), "isTrusted", { value: isTrusted });

test("what was held stands in its field again after a reload", () => {
  assert.equal(comeBack({}), "7.25");
  assert.equal(comeBack({ type: "navigate" }), "2.5");
  assert.equal(comeBack({ href: "/train" }), "2.5");
});

test("what someone types meanwhile stays; what a script writes is no typing", () => {
  assert.equal(comeBack({ meanwhile: input(true) }), "2.5");
  assert.equal(comeBack({ meanwhile: input(false) }), "7.25");
});
