import assert from "node:assert/strict";
import { test } from "node:test";
import { Leaving } from "./leaving.js";

/** A page at /compare that has run; `press` clicks a link. */
function visit() {
  const at = { path: "/compare", title: "Compare", ms: 0 };
  const page = new EventTarget();
  const leaving = new Leaving(page, () => at, () => at.ms);
  /** @param {string | null} pathname @param {object} how @param {string} target */
  const press = (pathname, how = {}, target = "") => {
    Object.assign(page, { closest: () => (pathname === null ? null : { pathname, target }) });
    page.dispatchEvent(Object.assign(new Event("click"), how));
  };
  assert.equal(leaving.isLeaving, false);
  return { at, leaving, press };
}

test("from a link to another page until that page is there", () => {
  const { at, leaving, press } = visit();
  press("/merge_tree");
  assert.equal(leaving.isLeaving, true);
  at.path = "/merge_tree";
  assert.equal(leaving.isLeaving, true, "its address comes before it is drawn");
  at.title = "Merge tree";
  assert.equal(leaving.isLeaving, false);
  Object.assign(at, { path: "/compare", title: "Compare" });
  assert.equal(leaving.isLeaving, false);
});

test("a click beside links, a link to this page and one that opens elsewhere leave nothing", () => {
  const { leaving, press } = visit();
  press(null);
  press("/compare");
  press("/train", { ctrlKey: true });
  press("/train", { metaKey: true });
  press("/train", { shiftKey: true });
  press("/train", {}, "_blank");
  assert.equal(leaving.isLeaving, false);
});

test("a link that leads nowhere is given up after ten seconds", () => {
  const { at, leaving, press } = visit();
  press("/train");
  at.ms = 10_000;
  assert.equal(leaving.isLeaving, true);
  at.ms = 10_001;
  assert.equal(leaving.isLeaving, false);
});

test("a page that is left without a link is left as by one", () => {
  const { leaving } = visit();
  leaving.leave();
  assert.equal(leaving.isLeaving, true);
});

test("who goes back to another page leaves this one until that is there, and who goes back to it stays", () => {
  const { at, leaving, press } = visit();
  at.path = "/merge_tree"; // the browser changes the address first
  leaving.goBack();
  assert.equal(leaving.isLeaving, true);
  at.title = "Merge tree";
  assert.equal(leaving.isLeaving, false);
  press("/train");
  leaving.goBack();
  assert.equal(leaving.isLeaving, false, "only what stands behind the path has changed");
});
