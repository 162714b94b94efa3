import assert from "node:assert/strict";
import { test } from "node:test";
import { keepTypedName } from "./typed_name.js";

class Field {
  text = "";
  get value() {
    return this.text;
  }
  set value(text) {
    this.text = text;
  }
  matches() {
    return true;
  }
  dispatchEvent() {}
}
class Key extends Event {
  key = "";
}
const world = /** @type {any} */ (globalThis);

/**
 * What stands in a field into which "qw" was typed, once a run has emptied it.
 * @param {{meanwhile?: Event, isTrusted?: boolean}} how
 */
function afterARun({ meanwhile, isTrusted = true }) {
  const field = new Field();
  /** @type {Record<string, (event: object) => void>} */
  const heard = {};
  /** @type {(changes: object[]) => void} */
  let change = () => {};
  class Observer {
    constructor(/** @type {typeof change} */ hear) {
      change = hear;
    }
    observe() {}
    disconnect() {}
  }
  const document = { addEventListener: (/** @type {string} */ kind, /** @type {(event: object) => void} */ hear) => (heard[kind] = hear) };
  const ours = { document, HTMLInputElement: Field, HTMLTextAreaElement: Key, KeyboardEvent: Key, MutationObserver: Observer };
  const before = Object.fromEntries(Object.keys(ours).map((name) => [name, world[name]]));
  Object.assign(world, ours);
  try {
    keepTypedName(new AbortController().signal);
    field.value = "qw";
    heard.input?.({ isTrusted, target: field });
    if (meanwhile) heard[meanwhile.type]?.(meanwhile);
    field.value = "";
    change([{ target: field }]);
    return field.value;
  } finally {
    Object.assign(world, before);
  }
}

/** @param {string} kind @param {{key?: string, isTrusted?: boolean}} how whether a person does it */
const event = (kind, { key, isTrusted = true } = {}) =>
  Object.defineProperty(Object.assign(key ? new Key(kind) : new Event(kind), { key }), "isTrusted", { value: isTrusted });

test("what is typed while a run is on its way stays", () => {
  assert.equal(afterARun({}), "qw");
  assert.equal(afterARun({ meanwhile: event("keydown", { key: "e" }) }), "qw");
  assert.equal(afterARun({ meanwhile: event("focusout", { isTrusted: false }) }), "qw");
});

test("what a person chooses, takes back or leaves is gone", () => {
  for (const key of ["Enter", "Escape", "Tab"]) assert.equal(afterARun({ meanwhile: event("keydown", { key }) }), "");
  for (const kind of ["pointerdown", "focusout"]) assert.equal(afterARun({ meanwhile: event(kind) }), "");
  assert.equal(afterARun({ isTrusted: false }), "");
});
