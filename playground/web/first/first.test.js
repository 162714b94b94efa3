import assert from "node:assert/strict";
import { test } from "node:test";

/** What went to the server. @type {unknown[]} */
const sent = [];
let isOpen = true;
class Socket {
  /** @param {unknown} data */
  send(data) {
    if (!isOpen) throw new Error("no connection");
    sent.push(data);
  }
}
/** What a press needs of a part of the page. */
class Part extends EventTarget {}
/** Components with these buttons, whose code has not come. @param {object[]} waiting */
const page = (...waiting) => Object.assign(new Part(), { querySelectorAll: () => [{}, { shadowRoot: { querySelectorAll: () => waiting } }] });
const button = (/** @type {number} */ left) => ({ getBoundingClientRect: () => ({ left, right: left + 2, top: 0, bottom: 9 }) });
/** What hears presses. @type {(event: {clientX: number, clientY: number, target: unknown}) => void} */
let press = () => {};
const window = {
  WebSocket: Socket,
  Element: Part,
  location: { href: "http://host/below/train?share=x" },
  addEventListener: (/** @type {string} */ type, /** @type {typeof press} */ hear) => type === "click" && (press = hear),
};
const before = new Map(Object.keys(window).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
for (const [name, value] of Object.entries(window)) Object.defineProperty(globalThis, name, { value, configurable: true });
await import("./first.js");
for (const [name, was] of before) {
  if (was) Object.defineProperty(globalThis, name, was);
  else Reflect.deleteProperty(globalThis, name);
}
const { __streamlit: streamlit, tesseraSaid: nSaid } = /** @type {{tesseraSaid: () => number, __streamlit: {BACKEND_BASE_URL: string}}} */ (/** @type {unknown} */ (globalThis));
const { take } = /** @type {{tesseraPresses: {take: (root: unknown) => unknown}}} */ (/** @type {unknown} */ (globalThis)).tesseraPresses;
Reflect.deleteProperty(globalThis, "tesseraPresses"); // tests of components share the process

test("the app is where the page is", () => assert.equal(streamlit.BACKEND_BASE_URL, "http://host/below/"));

test("each message that asks for a run says its number, and no other does", () => {
  const socket = new Socket(), run = new Uint8Array([0x5a, 3, 0x0a, 1, 0x61]), beat = new Uint8Array([0x88, 1, 1]);
  for (const data of [run, beat, "text", run]) socket.send(data);
  const number = (/** @type {string} */ n) => [0x5a, 13, 0x12, 11, 0x0a, 9, 0x0a, 4, ...Buffer.from("said"), 0x32, 1, ...Buffer.from(n)];
  assert.deepEqual(sent, [new Uint8Array([...run, ...number("1")]), beat, "text", new Uint8Array([...run, ...number("2")])]);
  assert.equal(nSaid(), 2);
  const timer = new Uint8Array([0x5a, 140, 1, 0x12, 133, 1, ...Array(133).fill(0x30), 0x30, 1]), asked = new Uint8Array([...timer.slice(0, -2), 0x30, 0]);
  socket.send(timer);
  assert.deepEqual(sent.at(-1), new Uint8Array([...timer, ...number("2")]), "a timer says the last number again");
  assert.equal(nSaid(), 2);
  socket.send(asked);
  assert.deepEqual(sent.at(-1), new Uint8Array([...asked, ...number("3")]));
  isOpen = false;
  assert.throws(() => socket.send(run));
  assert.equal(nSaid(), 3, "what was not sent has no number");
});

test("the last press on a button is kept until its code comes", () => {
  Object.assign(globalThis, { Element: Part });
  const first = button(0), second = button(2), place = page(first, second);
  const rootOf = (/** @type {unknown[]} */ ...buttons) => ({ contains: (/** @type {unknown} */ one) => buttons.includes(one) });
  const root = rootOf(first, second), pressAt = (/** @type {number} */ clientX, target = place, clientY = 1) => press({ clientX, clientY, target });
  pressAt(1);
  pressAt(3);
  assert.equal(take(rootOf(button(2))), undefined);
  assert.equal(take(root), second);
  assert.equal(take(root), undefined, "once");
  for (const elsewhere of [() => pressAt(5), () => pressAt(1, page()), () => pressAt(1, place, 20)]) {
    pressAt(1);
    elsewhere();
    assert.equal(take(root), undefined, "another place was pressed since");
  }
  Reflect.deleteProperty(globalThis, "Element");
});
