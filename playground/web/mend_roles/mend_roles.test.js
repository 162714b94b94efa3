import assert from "node:assert/strict";
import { test } from "node:test";
import { AskedTheme } from "./mend_roles.js";

test("another theme asks for one run, also when one goes back before it has ended", () => {
  const theme = new AskedTheme();
  assert.equal(theme.isToBeAsked("light", "light"), false);
  assert.equal(theme.isToBeAsked("dark", "light"), true);
  assert.equal(theme.isToBeAsked("dark", "light"), false, "the run is on its way");
  assert.equal(theme.isToBeAsked("light", "light"), false, "back again");
  assert.equal(theme.isToBeAsked("light", "dark"), true, "the run of before has drawn");
  assert.equal(theme.isToBeAsked("light", "light"), false);
  assert.equal(theme.isToBeAsked("dark", "light"), true);
  assert.equal(theme.isToBeAsked("", "dark"), false, "no app is shown");
});
