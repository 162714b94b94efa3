// What goes to the clipboard.

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
 * Copy a text that is still being made. Called within a press, so that browsers allow it when the text comes later.
 * @param {Promise<string>} made
 */
export async function copyWhenMade(made) {
  if (typeof ClipboardItem !== "undefined" && navigator.clipboard?.write) {
    const blob = made.then((text) => new Blob([text], { type: "text/plain" }));
    const isWritten = await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]).then(() => true, () => false);
    if (isWritten) return;
  }
  await copyText(await made);
}
