import assert from "node:assert/strict";
import { test } from "node:test";
import { byteLabel, hex, shorten, shownInLine, shownText } from "./shown_text.js";

test("marks show all white space, and a line feed still breaks the line", () => {
  assert.equal(shownText("Tab\there, two  spaces\r\nend\u00a0", true), "Tab→\there,·two··spaces␍⏎\nend⍽");
  assert.equal(shownText("one\ntwo\rthree\n\r\n", true), "one⏎\ntwo␍three⏎\n␍⏎\n");
});

test("without marks only what shows nothing is labelled", () => {
  assert.equal(shownText("one\r\ntwo\nthree\rfour\n\rfive", false), "one\ntwo\nthree␍four\n␍five");
  assert.equal(shownText("\ufeffHello\u200b world\u0007\0", false), "⟨FEFF⟩Hello⟨200B⟩ world⟨0007⟩⟨0000⟩");
  assert.equal(shownText("a\u202eb\u2066c\u00ad", false), "a⟨202E⟩b⟨2066⟩c⟨00AD⟩");
});

test("joiners and selectors work inside a character and are labelled alone", () => {
  for (const text of ["👨‍👩‍👧‍👦", "🏳️‍🌈", "ক্‍ষ", "❤️"]) assert.equal(shownText(text, true), text);
  assert.equal(shownText("\u200d", false), "⟨200D⟩");
  assert.equal(shownText("\u200c", true), "⟨200C⟩");
});

test("a flag keeps its tags, tags elsewhere are labelled", () => {
  const england = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
  assert.equal(shownText(england, false), england);
  assert.equal(shownText(` ${england}`, true), `·${england}`);
  assert.equal(shownText("a\u{e0067}", false), "a⟨E0067⟩");
});

test("in a line nothing breaks it", () => {
  assert.equal(shownInLine("a\tb\r\nc d\n"), "a→b␍⏎c·d⏎");
});

test("markup is text like any other", () => {
  assert.equal(shownText("<script>&amp;</script>", true), "<script>&amp;</script>");
});

test("bytes and long texts", () => {
  assert.equal(byteLabel(0xe2), "⟨E2⟩");
  assert.equal(hex(Uint8Array.of(0xf0, 0x9f, 0, 10)), "F0 9F 00 0A");
  assert.deepEqual([shorten("abc", 3), shorten("abcd", 3)], ["abc", "abc…"]);
});
