// A saved page: reads the data that is in it, and draws its figure, in a file that no server has sent.

import { find } from "../shared/element.js";
import { fromBase64, readColumns } from "../shared/wire.js";

/** The header and columns of a page, as `server/saved_page` wrote them. @typedef {{header: any, columns: Uint32Array[]}} Data */

/** Ends nothing: a saved page keeps its listeners. */
export const NEVER = new AbortController().signal;

/**
 * Draw the figure of this page into its element.
 * @param {string} selector
 * @param {(root: HTMLElement, data: Data) => void} draw
 */
export async function drawPage(selector, draw) {
  const shadow = find(document, ".figure").shadowRoot;
  if (!shadow) return; // a browser that doesn't know such templates shows the caption alone
  const packed = fromBase64(find(document, "#data").textContent ?? "");
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  draw(find(shadow, selector), readColumns(await new Response(unpacked).arrayBuffer()));
}
