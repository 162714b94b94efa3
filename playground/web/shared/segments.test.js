import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOfTokens, kindsOfMarks, makeSegments, MARK, NO_MARKS, partsOfSegment, sliceMarks } from "./segments.js";

const encoder = new TextEncoder();

/** @param {number} seed */
function* iterRandom(seed) {
  for (let x = seed; ; ) yield (x = (x * 48271) % 2147483647) / 2147483647;
}

/** Divide bytes into tokens of one to four. @param {number} nBytes @param {Generator<number>} chance */
function cutAtRandom(nBytes, chance) {
  const lengths = [];
  for (let left = nBytes; left > 0; left -= lengths[lengths.length - 1]) {
    lengths.push(Math.min(left, 1 + Math.floor(4 * Number(chance.next().value))));
  }
  return lengths;
}

test("a token of whole characters is a segment", () => {
  assert.deepEqual(makeSegments("Hello world", [5, 6]), [
    { text: "Hello", first: 0, last: 1, nBytes: 5 },
    { text: " world", first: 1, last: 2, nBytes: 6 },
  ]);
});

test("tokens that split a character, a flag, a family or a letter with an accent form one segment", () => {
  for (const text of ["é", "🚀", "🇳🇵", "👨‍👩‍👧‍👦", "ক্ষ", "e\u0301", "\r\n"]) {
    const nBytes = encoder.encode(text).length;
    const [segment, ...more] = makeSegments(text, Array.from({ length: nBytes }, () => 1));
    assert.deepEqual([segment.text, segment.first, segment.last, more.length], [text, 0, nBytes, 0]);
  }
});

test("invalid bytes are spelled in hex, also between characters and at the end", () => {
  const bytes = Uint8Array.of(0xff, 0x61, 0xc3, 0xa9, 0xe2, 0x82);
  const segments = makeSegments(bytes, [1, 2, 1, 1, 1]);
  assert.deepEqual(segments.map(({ text }) => text), ["⟨FF⟩", "aé", "⟨E2⟩", "⟨82⟩"]);
  assert.deepEqual(segments.map(({ first, last }) => [first, last]), [[0, 1], [1, 3], [3, 4], [4, 5]]);
  assert.deepEqual(makeSegments(Uint8Array.of(0xff, 0x61, 0xff), [1, 1, 1]).map(({ text }) => text), ["⟨FF⟩", "a", "⟨FF⟩"]);
  assert.equal(makeSegments(encoder.encode("\ufeffa"), [4])[0].text, "\ufeffa");
});

test("an empty text has no segment, and a token without bytes has one", () => {
  assert.deepEqual(makeSegments("", []), []);
  assert.deepEqual(makeSegments("", [0]), [{ text: "", first: 0, last: 1, nBytes: 0 }]);
});

test("for any tokens, segments spell the text, contain each token once, and are as short as possible", () => {
  const texts = ["The quick brown fox\n", "नेपाल 👩‍🚀🇳🇵 ক্ষ é\r\n", "Z̷͖̓a̸͚͝ 한국 مرحبا 🏴󠁧󠁢󠁥󠁮󠁧󠁿x"];
  const chance = iterRandom(7);
  for (const text of texts) {
    const ends = new Set();
    let end = 0;
    for (const { segment } of new Intl.Segmenter().segment(text)) ends.add((end += encoder.encode(segment).length));
    for (let round = 0; round < 40; round++) {
      const lengths = cutAtRandom(end, chance);
      const segments = makeSegments(text, lengths);
      assert.equal(segments.map((segment) => segment.text).join(""), text);
      let token = 0, byte = 0;
      for (const { first, last, nBytes } of segments) {
        assert.equal(first, token);
        assert.equal(nBytes, lengths.slice(first, last).reduce((a, b) => a + b));
        for (let at = byte; token < last; token++) {
          assert.ok(at === byte || !ends.has(at), `${text}: ${at} could end a segment`);
          at += lengths[token];
        }
        byte += nBytes;
        assert.ok(ends.has(byte), `${text}: ${byte}`);
      }
      assert.equal(token, lengths.length);
    }
  }
});

test("a segment's bytes are divided among its tokens", () => {
  const bytes = encoder.encode("a🚀b"), lengths = [1, 3, 1, 1];
  const [, rocket] = makeSegments("a🚀b", lengths);
  assert.deepEqual(bytesOfTokens(bytes, lengths, rocket).map((part) => [...part]), [[0xf0, 0x9f, 0x9a], [0x80]]);
});

/** @param {number} nDropped behind a token @param {number} [mark] */
const markOf = (nDropped, mark = MARK.asTyped) => 4 * nDropped + mark;

test("a segment has dropped text before it, its own text, and dropped text after it", () => {
  const marks = Uint32Array.of(2, markOf(3), markOf(0, MARK.inserted));
  const parts = partsOfSegment({ text: "  a é", first: 0, last: 1, nBytes: 6 }, marks);
  assert.deepEqual(parts, { before: "  ", own: "a", behind: " é", isChanged: false, isInserted: false });
  const second = partsOfSegment({ text: "b", first: 1, last: 2, nBytes: 1 }, marks);
  assert.deepEqual(second, { before: "", own: "b", behind: "", isChanged: false, isInserted: true });
});

test("a dropped accent belongs to its letter, whose token is marked as changed", () => {
  const parts = partsOfSegment({ text: "e\u0301 ", first: 0, last: 1, nBytes: 4 }, Uint32Array.of(0, markOf(3)));
  assert.deepEqual(parts, { before: "", own: "e\u0301", behind: " ", isChanged: true, isInserted: false });
});

test("text dropped between the tokens of a character marks it as changed", () => {
  const marks = Uint32Array.of(0, markOf(1), markOf(0));
  assert.equal(partsOfSegment({ text: "👍", first: 0, last: 2, nBytes: 4 }, marks).isChanged, true);
});

test("a text has the kinds of marks of its tokens", () => {
  assert.deepEqual(kindsOfMarks(NO_MARKS), { isDropped: false, isChanged: false, isInserted: false });
  assert.deepEqual(kindsOfMarks(Uint32Array.of(3)), { isDropped: true, isChanged: false, isInserted: false });
  assert.deepEqual(kindsOfMarks(Uint32Array.of(0, MARK.changed)), { isDropped: false, isChanged: true, isInserted: false });
  assert.deepEqual(kindsOfMarks(Uint32Array.of(0, MARK.changed, markOf(1, MARK.inserted))), { isDropped: true, isChanged: true, isInserted: true });
});

test("a slice of tokens has their marks and the bytes dropped before them", () => {
  const marks = Uint32Array.of(2, markOf(1), markOf(0, MARK.changed));
  assert.deepEqual([...sliceMarks(marks, 0, 1)], [2, markOf(1)]);
  assert.deepEqual([...sliceMarks(marks, 1, 2)], [0, MARK.changed]);
  assert.equal(sliceMarks(NO_MARKS, 1, 2).length, 0);
});
