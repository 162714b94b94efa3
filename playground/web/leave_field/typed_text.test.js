import assert from "node:assert/strict";
import { test } from "node:test";
import { TypedText } from "./typed_text.js";

/** A page whose messages the test counts; `send` does what Streamlit sends in a task of its own. */
function visit() {
  const page = { nSaid: 4, nHeard: 4 };
  /** @type {(() => void)[]} */
  const later = [];
  const typed = new TypedText({ said: () => page.nSaid, heard: () => page.nHeard }, (act) => later.push(act));
  return { page, typed, send: () => later.splice(0).forEach((act) => act()) };
}

test("what was typed is on its way until its field was left and the page is drawn with it", () => {
  const { page, typed, send } = visit();
  assert.equal(typed.isOnItsWay, false);
  typed.type();
  assert.equal(typed.isOnItsWay, true, "the field was not left");
  page.nSaid = 5; // something else
  typed.leave();
  page.nSaid = 6;
  send();
  page.nHeard = 5;
  assert.equal(typed.isOnItsWay, true, "the run began before");
  page.nSaid = 7; // is said later
  page.nHeard = 6;
  assert.equal(typed.isOnItsWay, false);
});

test("a field that was left and had nothing to say is not waited for", () => {
  const { typed, send } = visit();
  typed.type();
  typed.leave();
  assert.equal(typed.isOnItsWay, true, "Streamlit may yet send it");
  send();
  assert.equal(typed.isOnItsWay, false);
});

test("Enter sends it, leaving the field after that sends nothing more", () => {
  const { page, typed, send } = visit();
  typed.type();
  typed.leave();
  page.nSaid = 5;
  send();
  page.nSaid = 6;
  typed.leave();
  send();
  page.nHeard = 5;
  assert.equal(typed.isOnItsWay, false);
});

test("what is typed before the text before is sent is on its way, too", () => {
  const { typed, send } = visit();
  typed.type();
  typed.leave();
  typed.type();
  send();
  assert.equal(typed.isOnItsWay, true);
});
