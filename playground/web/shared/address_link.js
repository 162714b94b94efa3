// A link that restores a page: its choices as parameters of the address, which is also where it is put.

import { copyText } from "./clipboard.js";
import { count } from "./numbers.js";

/** Longer links break in mail and chat. */
const MAX_LINK_CHARS = 8000;

/**
 * A link to this page with these parameters. Throws an Error that says so where it would be too long.
 * @param {string} page the address of the page without parameters
 * @param {Record<string, string>} parameters
 */
export function linkTo(page, parameters) {
  const link = `${page}?${new URLSearchParams(parameters)}`;
  if (link.length <= MAX_LINK_CHARS) return link;
  throw new Error(
    `This text is too long for a link: ${count(link.length)} characters, and links over ${count(MAX_LINK_CHARS)} break in mail and chat.`,
  );
}

/**
 * Put a link into the address and on the clipboard, and say on its button where it is.
 * @param {HTMLButtonElement} button
 * @param {string} link
 */
export async function giveLink(button, link) {
  history.replaceState(history.state, "", link);
  const isCopied = await copyText(link).then(() => true, () => false);
  button.textContent = isCopied ? "Link copied" : "Link is in the address bar";
  setTimeout(() => (button.textContent = "Copy link"), 2500);
}
