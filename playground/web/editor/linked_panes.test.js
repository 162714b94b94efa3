import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ScrollLink } from "./linked_panes.js";

/** @type {(() => void)[]} */
let frames = [];
Object.assign(globalThis, { requestAnimationFrame: (/** @type {() => void} */ step) => frames.push(step) });

beforeEach(() => {
  frames = [];
});

function nextFrame() {
  const due = frames;
  frames = [];
  for (const step of due) step();
}

/** A pane of a thousand pixels whose spot is its scroll position. @returns {any} */
function pane() {
  const element = Object.assign(new EventTarget(), { scrollTop: 500, scrollHeight: 1000, clientHeight: 100 });
  return { element, read: () => element.scrollTop, write: (/** @type {number} */ spot) => (element.scrollTop = spot) };
}

/** What a reader's wheel does. @param {any} side @param {number} top */
function scroll({ element }, top) {
  element.dispatchEvent(new Event("wheel"));
  element.scrollTop = top;
  element.dispatchEvent(new Event("scroll"));
}

function linked() {
  const [text, tokens] = [pane(), pane()];
  return { text, tokens, link: new ScrollLink([text, tokens], new AbortController().signal, () => true) };
}

test("a pane follows the one that is scrolled, and both reach an end together", () => {
  const { text, tokens } = linked();
  scroll(text, 300);
  nextFrame();
  assert.equal(tokens.element.scrollTop, 300);
  scroll(text, 900);
  nextFrame();
  tokens.element.scrollHeight = 1200; // what came into view is higher than it was taken to be
  nextFrame();
  assert.equal(tokens.element.scrollTop, 1200);
});

test("a pane that the reader scrolls away from an end stays there", () => {
  const { text, tokens } = linked();
  scroll(text, 0);
  nextFrame();
  scroll(tokens, 400);
  nextFrame();
  assert.deepEqual([tokens.element.scrollTop, text.element.scrollTop], [400, 400]);
});
