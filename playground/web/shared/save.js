// Saves files (text, pages, SVG and PNG pictures) and copies text to the clipboard.

import { postJson } from "./wire.js";
import { count } from "./wording.js";

/** @typedef {"svg" | "png"} PictureKind */

/**
 * The kind of picture that a button saves.
 * @param {string | undefined} name
 * @returns {PictureKind | null}
 */
export const pictureKind = (name) => (name === "svg" || name === "png" ? name : null);

/**
 * Download an SVG document as `name`.svg or `name`.png.
 * @param {string} svg
 * @param {PictureKind} kind
 * @param {string} name
 */
export async function savePicture(svg, kind, name) {
  saveFile(kind === "png" ? await svgToPng(svg) : new Blob([svg], { type: "image/svg+xml" }), `${name}.${kind}`);
}

/** Download a file. @param {Blob} blob @param {string} name */
export function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Save a session's figure as a page that needs no server; `body` says what is shown of it. Resolves to a sentence.
 * @param {string} url of the session
 * @param {object} body
 */
export async function savePage(url, body) {
  const { file_name: name, html } = /** @type {import("./wire_types.d.ts").SavedFile} */ (await postJson(url, "page", body));
  const page = new Blob([html], { type: "text/html" });
  saveFile(page, name);
  return `Saved ${name} (${count(Math.ceil(page.size / 1000))} KB).`;
}

/**
 * Render an SVG document as PNG at twice its size, or at the largest size of a canvas.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
async function svgToPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = Math.min(2, 16000 / Math.max(image.width, image.height));
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser could not draw the picture."))), "image/png"),
  );
}

/**
 * Copy text to the clipboard, also on pages without https. Throws an Error if the browser forbids it.
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
 * Copy a text that is still being fetched. Call it within a press, so that browsers allow it.
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
