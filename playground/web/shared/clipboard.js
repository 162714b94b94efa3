// The clipboard, also where a page is not served over https.

/**
 * Put text on the clipboard. Throws an Error where the browser does not allow it.
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
