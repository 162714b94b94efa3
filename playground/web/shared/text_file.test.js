import assert from "node:assert/strict";
import { test } from "node:test";
import { readTextFile } from "./text_file.js";

const file = (/** @type {BlobPart} */ content, name = "f.txt") => new File([content], name);

test("a file is read as it is, with its line ends and its byte order mark", async () => {
  assert.equal(await readTextFile(file("\ufeffनेपाल\r\nfile\0"), 100), "\ufeffनेपाल\r\nfile\0");
  assert.equal(await readTextFile(file(""), 100), "");
});

test("a file that is not UTF-8 is refused with the place", async () => {
  const latin = file(Uint8Array.from("one\ncaf\xe9 au lait", (c) => c.charCodeAt(0)), "latin.txt");
  await assert.rejects(readTextFile(latin, 100), /^Error: latin\.txt is not UTF-8: byte ⟨E9⟩ at position 7 \(line 2\)\. Save it as UTF-8 and open it again\.$/);
  await assert.rejects(readTextFile(file(Uint8Array.of(0x61, 0xe9)), 100), /byte ⟨E9⟩ at position 1 /);
  const utf16 = file(Uint8Array.of(0xff, 0xfe, 0x61, 0));
  await assert.rejects(readTextFile(utf16, 100), /byte ⟨FF⟩ at position 0 \(line 1\); it looks like UTF-16\./);
});

test("a file over the limit is refused with both sizes, one at the limit is not", async () => {
  assert.equal((await readTextFile(file("a".repeat(1000)), 1000)).length, 1000);
  await assert.rejects(readTextFile(file("a".repeat(1001), "large.txt"), 1000), /large\.txt has 1,001 bytes; this page takes up to 1,000/);
});
