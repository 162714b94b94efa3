import assert from "node:assert/strict";
import { test } from "node:test";
import { formOf } from "./back_to_text.js";
import { legendOf, markedPlaces } from "./bpe_by_hand.js";
import { nPrefixBits, turned } from "./bytes.js";
import { cheapestOf } from "./choose.js";
import { heightOf, namedOf } from "./languages.js";
import { stageOf, startsAfter } from "./journey.js";
import { placeLabels, ticksOf } from "./neighbours.js";
import { partsOf, pathOf } from "./numbers.js";
import { patchOf, pictureOf } from "./pictures.js";
import { nSlidOut } from "./special_tokens.js";
import { changeOf, sumsOf } from "./who_pays.js";

test("a byte's leading bits decide its form", () => {
  const forms = [/^0/, /^110/, /^1110/, /^11110/, /^10/];
  for (let byte = 0; byte < 0xf8; byte++) assert.match(byte.toString(2).padStart(8, "0"), forms[formOf(byte)]);
});

/** @param {string} letters @param {string} pair */
const marked = (letters, pair) => [...markedPlaces(/** @type {any} */ ({ symbols: [...letters] }), /** @type {any} */ ({ left: pair[0], right: pair[1] }))].join(" ");

test("a pair is marked from the left, without overlaps", () => {
  assert.equal(marked("aaab", "aa"), "0 1");
  assert.equal(marked("aaaab", "aa"), "0 1 2 3");
  assert.equal(marked("abcab", "ab"), "0 1 3 4");
  assert.equal(marked("abc", "xx"), "");
});

test("merged symbols are listed with their parts", () => {
  const made = (/** @type {string[]} */ ...names) => legendOf({ merges: names.map((name) => ({ name, left: "a", right: "\n" })) });
  assert.deepEqual(made(), []);
  assert.deepEqual(made("Z"), ["Z = a⏎"]);
  assert.deepEqual(made("Z", "Y", "X", "W"), ["Y = a⏎", "X = a⏎", "W = a⏎"]);
});

test("the number of leading bits follows the UTF-8 standard", () => {
  for (let byte = 0; byte < 0xf8; byte++) {
    const bits = byte.toString(2).padStart(8, "0");
    assert.equal(bits.slice(0, nPrefixBits(byte)), /^1*0/.exec(bits)?.[0]);
  }
});

test("keys reach every character of a text, and each row begins where the last one ended", () => {
  const nAll = 11, nShown = 4, starts = new Set();
  let at = { first: 0, chosen: 0 };
  for (let n = 0; n < nAll; n++) {
    assert.equal(at.chosen, n);
    assert.ok(at.first <= n && n < at.first + nShown);
    starts.add(at.first);
    at = turned({ ...at, nShown, nAll }, 1);
  }
  assert.deepEqual([...starts], [0, 4, 8]);
  assert.equal(at.chosen, nAll - 1, "at the end it stays");
  for (let n = nAll - 2; n >= 0; n--) at = turned({ ...at, nShown, nAll }, -1);
  assert.deepEqual(at, { first: 0, chosen: 0 });
  assert.deepEqual(turned({ ...at, nShown, nAll }, -1), { first: 0, chosen: 0 });
});

test("the cheapest rows lose nothing, and several can tie", () => {
  const row = (/** @type {string} */ name, /** @type {number} */ n, /** @type {string[]} */ ...loses) => ({ name, n_tokens: n, loses });
  assert.equal(cheapestOf([row("a", 9), row("b", 3, "dates"), row("c", 5), row("d", 5)]).map(({ name }) => name).join(), "c,d");
  assert.deepEqual(cheapestOf([row("a", 9, "text")]), []);
});

test("a larger ratio is higher, and each doubling has the same distance", () => {
  assert.ok(heightOf(2, 20) < heightOf(1, 20));
  assert.ok(Math.abs(heightOf(1, 20) - heightOf(2, 20) - (heightOf(5, 20) - heightOf(10, 20))) < 1e-9);
});

test("the most expensive language at each end has a label", () => {
  const languages = [["English", 1, 1, 1], ["a", 9, 2, 1], ["b", 3, 3, 3], ["c", 2, 2, 2]];
  const named = namedOf(languages.map(([name, ...times]) => ({ name: String(name), times: /** @type {number[]} */ (times) })));
  assert.deepEqual([...named].toSorted(), ["English", "Korean", "a", "b"]);
});

test("an axis has at most five round numbers", () => {
  assert.deepEqual(ticksOf(4), [1, 2, 3, 4]);
  assert.deepEqual(ticksOf(23), [5, 10, 15, 20]);
  assert.deepEqual(ticksOf(16_000), [5_000, 10_000, 15_000]);
  for (let most = 1; most < 3_000; most++) assert.ok(ticksOf(most).length >= Math.min(most, 2) && ticksOf(most).length <= 5, String(most));
});

test("labels don't overlap labels or dots and stay in the plot; optional ones are dropped", () => {
  const at = Array.from({ length: 12 }, (_, n) => ({ x: 200 + 3 * n, y: 150 }));
  const sizes = at.map(() => ({ width: 90, height: 30 }));
  const dots = at.map(({ x, y }) => ({ x: x - 4, y: y - 4, width: 8, height: 8 }));
  const found = placeLabels(at, sizes, dots, { width: 400, height: 300 }, at.map((_, n) => n < 6));
  assert.ok(found.slice(0, 6).every(Boolean));
  assert.ok(found.slice(6).some((box) => box === null));
  const boxes = /** @type {{x: number, y: number, width: number, height: number}[]} */ (found.filter(Boolean));
  for (const [n, one] of boxes.entries()) {
    assert.ok(one.x >= 0 && one.y >= 0 && one.x + one.width <= 400 && one.y + one.height <= 300);
    for (const other of [...boxes.slice(0, n), ...dots]) {
      assert.ok(one.x >= other.x + other.width || other.x >= one.x + one.width || one.y >= other.y + other.height || other.y >= one.y + one.height);
    }
  }
});

test("a number is split at its cuts", () => {
  assert.deepEqual(partsOf(677, "0"), ["677"]);
  assert.deepEqual(partsOf(1275, "2"), ["12", "75"]);
  assert.deepEqual(partsOf(1275, "5"), ["1", "27", "5"]);
});

test("the rectangles of all cuts cover each cell once", () => {
  const cuts = Array.from({ length: 10_000 }, (_, n) => String((n * 7919) % 8)).join("");
  let covered = 0;
  for (const wanted of ["0", "1", "2", "4", "3567"]) {
    for (const [, x, , width] of pathOf(cuts, wanted).matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
      assert.ok(Number(x) + Number(width) <= 100);
      covered += Number(width);
    }
  }
  assert.equal(covered, 10_000);
  assert.equal(pathOf(`1${"0".repeat(9_999)}`, "1"), "M0 0h1v1h-1z");
});

test("a picture survives being cut into patches and decoded from their numbers", () => {
  const bytes = Uint8Array.from({ length: 3 * 64 }, (_, n) => n);
  const patches = [0, 1, 2, 3].map((n) => patchOf(bytes, 8, 4, n));
  assert.deepEqual([...patches[1].subarray(0, 3)], [12, 13, 14]);
  assert.deepEqual([...patches[2].subarray(0, 3)], [96, 97, 98]);
  const codebook = Uint8Array.from([...patches[3], ...patches[1], ...patches[0], ...patches[2]]);
  assert.deepEqual(pictureOf([2, 1, 3, 0], codebook, 4, 8), bytes);
});

test("only columns that begin the next row stay", () => {
  assert.equal(nSlidOut(["a", "b", "c"], ["b", "c", "d"]), 1);
  assert.equal(nSlidOut(["a", "b"], ["a", "b", "c"]), 0);
  assert.equal(nSlidOut(["a", "b", "c"], ["a", "b"]), 0);
  assert.equal(nSlidOut(["a", "b"], ["x", "y"]), 2);
  assert.equal(nSlidOut([], ["x"]), 0);
});

test("the way goes there and back, and each merge takes the border between two parts away", () => {
  assert.deepEqual([0, 2.5, 5, 7.5, 10].map(stageOf), [0, 2.5, 5, 2.5, 0]);
  const data = /** @type {any} */ ({ bytes: [104, 117, 103, 33], merges: [2, 1] });
  assert.deepEqual([0, 1, 2].map((n) => startsAfter(data, n)), [[0, 1, 2, 3], [0, 1, 3], [0, 3]]);
});

test("what a language pays is a change of its tokens by BPE, and the sums are those of all languages", () => {
  assert.deepEqual([[3349, 3882], [200, 150], [7, 7]].map(([before, after]) => changeOf(before, after)), ["+16 %", "−25 %", "0 %"]);
  assert.deepEqual(sumsOf([900, 1200, 800]), { ratio: "1.50", inAll: "2,900" });
});
