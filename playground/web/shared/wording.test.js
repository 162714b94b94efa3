import assert from "node:assert/strict";
import { test } from "node:test";
import { byteLabel, count, counted, dollars, fixed, hex, ratio, shorten, shownInLine, shownText, signed, times } from "./wording.js";

test("numbers have separators, signs and decimals", () => {
  assert.deepEqual([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
  assert.deepEqual([0, 1, 2, 1000].map((n) => counted(n, "token")), ["0 tokens", "1 token", "2 tokens", "1,000 tokens"]);
  assert.deepEqual([0, 1, -1, 1234, -1234].map(signed), ["0", "+1", "−1", "+1,234", "−1,234"]);
  assert.deepEqual([0, 1.005, 1234.5].map(fixed), ["0.00", "1.01", "1,234.50"]);
  assert.deepEqual([ratio(3, 2), ratio(3, 0)], ["1.50", "–"]);
  assert.deepEqual([0, 1, 2, 1000].map(times), ["0 times", "once", "2 times", "1,000 times"]);
});

test("small amounts of money show two significant digits", () => {
  assert.deepEqual([0, 0.000123, 0.5, 1, 1234.5].map(dollars), ["$0", "$0.00012", "$0.5000", "$1.00", "$1234.50"]);
});

test("marks show all white space, and a line feed still breaks the line", () => {
  assert.equal(shownText("Tab\there, two  spaces\r\nend\u00a0", true), "Tab→\there,·two··spaces␍⏎\nend⍽");
  assert.equal(shownText("one\ntwo\rthree\n\r\n", true), "one⏎\ntwo␍three⏎\n␍⏎\n");
});

test("without marks only invisible characters are labelled", () => {
  assert.equal(shownText("one\r\ntwo\nthree\rfour\n\rfive", false), "one\ntwo\nthree␍four\n␍five");
  assert.equal(shownText("\ufeffHello\u200b world\u0007\0", false), "⟨FEFF⟩Hello⟨200B⟩ world⟨0007⟩⟨0000⟩");
  assert.equal(shownText("a\u202eb\u2066c\u00ad", false), "a⟨202E⟩b⟨2066⟩c⟨00AD⟩");
});

test("joiners and selectors are kept inside a character and labelled elsewhere", () => {
  for (const text of ["👨‍👩‍👧‍👦", "🏳️‍🌈", "ক্‍ষ", "❤️"]) assert.equal(shownText(text, true), text);
  assert.equal(shownText("\u200d", false), "⟨200D⟩");
  assert.equal(shownText("\u200c", true), "⟨200C⟩");
});

test("a flag keeps its tags, and tags elsewhere are labelled", () => {
  const england = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
  assert.equal(shownText(england, false), england);
  assert.equal(shownText(` ${england}`, true), `·${england}`);
  assert.equal(shownText("a\u{e0067}", false), "a⟨E0067⟩");
});

test("text in a line has no line breaks", () => {
  assert.equal(shownInLine("a\tb\r\nc d\n"), "a→b␍⏎c·d⏎");
});

test("bytes are hexadecimal, and long texts are shortened", () => {
  assert.equal(byteLabel(0xe2), "⟨E2⟩");
  assert.equal(hex(Uint8Array.of(0xf0, 0x9f, 0, 10)), "F0 9F 00 0A");
  assert.deepEqual([shorten("abc", 3), shorten("abcd", 3)], ["abc", "abc…"]);
});
