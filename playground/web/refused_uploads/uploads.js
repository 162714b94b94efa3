// Uploads: what became of a file that Streamlit sent, and why it was not taken; Streamlit shows a bare number.

import { count } from "../shared/numbers.js";

/** Asked of the address of a file, so that the question is not taken for an upload. */
const WHY = "?why";

/** Of an entry of the browser's list of requests. @typedef {{name: string, responseStatus?: number}} Sent */

/** Whether a request was an upload that failed; status 0 is one that broke off. @param {Sent} sent */
export function isRefused({ name, responseStatus = 0 }) {
  return name.includes("/_stcore/upload_file/") && !name.endsWith(WHY) && !(responseStatus >= 200 && responseStatus < 300);
}

/**
 * The server's sentence about a file that it did not take; see `server/protection/uploads.py`.
 * @param {Sent} sent
 * @param {(url: string) => Promise<{ok: boolean, text: () => Promise<string>}>} get
 */
export async function reasonOf({ name, responseStatus = 0 }, get) {
  const answer = await get(name + WHY).catch(() => null);
  if (answer?.ok) return (await answer.text()).trim();
  return responseStatus
    ? `A file was not taken: the server answered ${responseStatus}.`
    : "A file did not reach the server: the connection broke off. Try again.";
}

/**
 * The files that Streamlit does not send, for their size, with what is said of each.
 * @param {Iterable<{name: string, size: number}>} files
 * @param {number} maxBytes
 * @returns {Generator<[name: string, sentence: string]>}
 */
export function* iterTooLarge(files, maxBytes) {
  for (const { name, size } of files) {
    if (size > maxBytes) yield [name, `${name} has ${count(size)} bytes; this page takes up to ${count(maxBytes)}.`];
  }
}
