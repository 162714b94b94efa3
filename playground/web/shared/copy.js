// What goes to the clipboard: texts, and links that restore a page.

import { postJson } from "./wire.js";

/** Put text on the clipboard, also where the page is not served over https. */
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

/** Copy a link to this page that restores what its session packs of `body`; resolves to the link. */
export async function copyLink(url, body) {
  const { query } = await postJson(url, "share", body);
  const link = `${location.origin}${location.pathname}?${query}`;
  await copyText(link);
  return link;
}
