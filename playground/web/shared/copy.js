// What goes to the clipboard: texts, and links that restore a page.

import { count } from "./numbers.js";
import { postJson } from "./wire.js";

/**
 * Put text on the clipboard, also where the page is not served over https. Throws an Error where that is forbidden.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (!isCopied) throw new Error("The browser did not allow copying.");
  }
}

/**
 * What a page shares, as its own session takes it.
 * @typedef {import("./wire_types.d.ts").EditorRequests["share"] | import("./wire_types.d.ts").CompareRequests["share"] |
 *   import("./wire_types.d.ts").ForestRequests["share"]} Shared
 */

/**
 * Copy a link to this page that restores what its session packs of `body`; resolves to a sentence that says so.
 * @param {string} url
 * @param {Shared} body
 */
export async function copyLink(url, body) {
  /** @type {import("./wire_types.d.ts").LinkAnswer} */
  const { query } = await postJson(url, "share", body);
  const link = `${location.origin}${location.pathname}?${query}`;
  await copyText(link);
  return `Copied a link of ${count(link.length)} characters. It holds the text itself: share it as you would the text.`;
}
