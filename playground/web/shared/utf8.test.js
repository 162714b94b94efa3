import assert from "node:assert/strict";
import { test } from "node:test";
import { countLoneSurrogates, utf8Length, validUntil } from "./utf8.js";

const encoder = new TextEncoder();
const TEXTS = ["", "abc", "é ß", "한국 नेपाल", "👩‍🚀🇳🇵", "\ud83d", "a\ude00b", "\ud83d\ud83d\ude00", "\u{10ffff}\u07ff\u0800\uffff", "\u007f\u0080", "\ude00 a \ud83d"];

test("the length in bytes is that of the encoder, also of lone surrogates", () => {
  for (const text of TEXTS) assert.equal(utf8Length(text), encoder.encode(text).length, JSON.stringify(text));
});

test("lone surrogates are counted, pairs are not", () => {
  assert.deepEqual(TEXTS.map(countLoneSurrogates), [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 2]);
});

test("bytes are valid as far as the decoder reads them, whichever two bytes stand in the middle", () => {
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

test("the search begins where it is told to", () => {
  assert.equal(validUntil(Uint8Array.of(0xff, 0x61, 0x62, 0xff), 1), 3);
  assert.equal(validUntil(Uint8Array.of(0xff), 1), 1);
});
