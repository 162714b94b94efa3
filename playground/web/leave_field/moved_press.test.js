import assert from "node:assert/strict";
import { test } from "node:test";
import { pressWhatMoved } from "./moved_press.js";

class Button {
  isConnected = true;
  nClicks = 0;
  closest() {
    return this;
  }
  click() {
    this.nClicks += 1;
  }
}
const world = /** @type {any} */ (globalThis);

/**
 * How often a button is pressed by us, on which the mouse goes down at 5, 5 and comes up elsewhere, and once more.
 * @param {{x?: number, y?: number, isOn?: boolean, isConnected?: boolean, more?: object}} how
 */
function clicksOf({ x = 5, y = 5, isOn = false, isConnected = true, more = {} }) {
  /** @type {Record<string, (event: object) => void>} */
  const heard = {};
  /** @type {(() => void)[]} */
  const later = [];
  const ours = {
    Element: Button,
    HTMLElement: Button,
    addEventListener: (/** @type {string} */ kind, /** @type {(event: object) => void} */ hear) => (heard[kind] = hear),
    setTimeout: (/** @type {() => void} */ act) => later.push(act),
  };
  const before = Object.fromEntries(Object.keys(ours).map((name) => [name, world[name]]));
  Object.assign(world, ours);
  try {
    pressWhatMoved(new AbortController().signal);
    const button = new Button();
    button.isConnected = isConnected;
    heard.mousedown?.({ button: 0, clientX: 5, clientY: 5, composedPath: () => [button], ...more });
    for (const path of [isOn ? [new Button(), button] : [new Button()], [new Button()]]) {
      heard.mouseup?.({ button: 0, clientX: x, clientY: y, composedPath: () => path, ...more });
    }
    for (const act of later) act();
    return button.nClicks;
  } finally {
    Object.assign(world, before);
  }
}

test("a button that moves away under a still mouse is pressed, once", () => {
  assert.equal(clicksOf({}), 1);
  assert.equal(clicksOf({ x: 8, y: 7 }), 1);
});

test("a press that ends where it began is the browser's own", () => {
  assert.equal(clicksOf({ isOn: true }), 0);
});

test("who moves the mouse away takes the press back", () => {
  assert.equal(clicksOf({ y: 30 }), 0);
});

test("a press with another mouse button, or with a key, is left to the browser", () => {
  for (const more of [{ button: 2 }, { ctrlKey: true }, { metaKey: true }, { shiftKey: true }]) assert.equal(clicksOf({ more }), 0);
});

test("what is gone by then is not pressed", () => {
  assert.equal(clicksOf({ isConnected: false }), 0);
});
