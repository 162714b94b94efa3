import assert from "node:assert/strict";
import { test } from "node:test";
import { baseDirection, countLoneSurrogates, hasRightToLeft, joinedText, layByLevel, levelsOf, utf8Length, validUntil } from "./unicode.js";

const encoder = new TextEncoder();
const TEXTS = ["", "abc", "é ß", "한국 नेपाल", "👩‍🚀🇳🇵", "\ud83d", "a\ude00b", "\ud83d\ud83d\ude00", "\u{10ffff}\u07ff\u0800\uffff", "\u007f\u0080", "\ude00 a \ud83d"];

test("the UTF-8 length equals the encoder's, also for lone surrogates", () => {
  for (const text of TEXTS) assert.equal(utf8Length(text), encoder.encode(text).length, JSON.stringify(text));
});

test("lone surrogates are counted, and pairs are not", () => {
  assert.deepEqual(TEXTS.map(countLoneSurrogates), [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 2]);
});

test("bytes are valid exactly as far as the decoder accepts them", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** @param {Uint8Array} bytes */
  const isValid = (bytes) => {
    try {
      strict.decode(bytes);
      return true;
    } catch {
      return false;
    }
  };
  const leads = [0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff];
  const seconds = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
  for (const lead of leads)
    for (const second of seconds) {
      const bytes = Uint8Array.of(0x61, lead, second, 0x80, 0x80, 0x62);
      const end = validUntil(bytes, 0);
      assert.ok(isValid(bytes.subarray(0, end)), `${lead} ${second}`);
      // one more character would be invalid: no longer beginning is valid
      for (let longer = end + 1; longer <= bytes.length; longer++) assert.ok(!isValid(bytes.subarray(0, longer)), `${lead} ${second}`);
    }
});

/** The visual order of these parts of a line, from left to right. @param {string[]} texts @param {"ltr" | "rtl"} base */
function seen(texts, base) {
  const makeRow = (/** @type {"ltr" | "rtl"} */ direction) => /** @type {any} */ ({ direction, items: /** @type {any[]} */ ([]), append(/** @type {any} */ item) { this.items.push(item); } });
  const row = makeRow(base), read = (/** @type {any} */ item) => {
    if (typeof item === "string") return [item];
    const parts = item.items.map(read);
    return (item.direction === "rtl" ? parts.toReversed() : parts).flat();
  };
  layByLevel(row, /** @type {any} */ (texts), levelsOf(texts, base), base === "rtl" ? 1 : 0, makeRow);
  return read(row).join("");
}

test("a line has the direction of its first letter", () => {
  assert.deepEqual(["abc", "שלום abc", "123 שלום", "… a", "", "12"].map(baseDirection), ["ltr", "rtl", "rtl", "ltr", "ltr", "ltr"]);
  assert.deepEqual(["abc é 안녕", "a ש", "سلام"].map(hasRightToLeft), [false, true, true]);
});

test("parts of a line are laid out in visual order", () => {
  assert.equal(seen(["a", "b", "c"], "ltr"), "abc");
  assert.equal(seen(["ש", "ל", "ו", "ם"], "rtl"), "םולש");
  assert.equal(seen(["a", " ", "ש", "ל", " ", "ו", ".", " ", "b"], "ltr"), "a ו לש. b", "words in between");
  assert.equal(seen(["ש", " ", "a", "b", " ", "ל"], "rtl"), "ל ab ש");
  assert.equal(seen(["ש", " ", "1", "2", " ", "ל"], "rtl"), "ל 12 ש", "numbers keep their order");
  assert.equal(seen(["a", "1", " ", "ש", " ", "1", "2"], "ltr"), "a1 12 ש");
});

test("parts of a text keep their joining shapes, and other letters stay unchanged", () => {
  assert.equal(joinedText("سلام", 1, 3), "\u200dلا\u200d");
  assert.equal(joinedText("سلام", 0, 4), "سلام");
  assert.equal(joinedText("abc", 1, 2), "b");
});
