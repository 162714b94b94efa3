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
const window = { WebSocket: Socket, location: { href: "http://host/below/train?share=x" }, addEventListener: () => {} };
const before = new Map(Object.keys(window).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
for (const [name, value] of Object.entries(window)) Object.defineProperty(globalThis, name, { value, configurable: true });
await import("./first.js");
for (const [name, was] of before) {
  if (was) Object.defineProperty(globalThis, name, was);
  else Reflect.deleteProperty(globalThis, name);
}
const { __streamlit: streamlit, tesseraSaid: nSaid } = /** @type {{tesseraSaid: () => number, __streamlit: {BACKEND_BASE_URL: string}}} */ (/** @type {unknown} */ (globalThis));

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
