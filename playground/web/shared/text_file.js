// Text files: read as UTF-8, or refused with the place where they stop being it.

import { count } from "./numbers.js";
import { byteLabel } from "./shown_text.js";
import { validUntil } from "./utf8.js";

/**
 * The text of a UTF-8 file of at most `limit` bytes. Throws an Error that says why it is none, or that it is too long.
 * @param {File} file
 * @param {number} limit
 */
export async function readTextFile(file, limit) {
  if (file.size > limit) {
    throw new Error(
      `${file.name} has ${count(file.size)} bytes; this page takes up to ${count(limit)}. Longer files are counted by My corpus on Compare, or in a shell by python -m playground count FILE.`,
    );
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const valid = validUntil(bytes, 0);
  if (valid < bytes.length) {
    const looksUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const line = bytes.subarray(0, valid).reduce((n, byte) => n + (byte === 10 ? 1 : 0), 1);
    throw new Error(
      `${file.name} is not UTF-8: byte ${byteLabel(bytes[valid])} at position ${count(valid)} (line ${count(line)})` +
        (looksUtf16 ? "; it looks like UTF-16." : ".") + " Save it as UTF-8 and open it again.",
    );
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
