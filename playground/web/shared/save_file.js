// Files handed to the reader: an SVG document as it is or as PNG, and any other.

/** @typedef {"svg" | "png"} PictureKind */

/**
 * The kind of picture that a button stands for.
 * @param {string | undefined} name
 * @returns {PictureKind | null}
 */
export const pictureKind = (name) => (name === "svg" || name === "png" ? name : null);

/**
 * Hand an SVG document to the reader as `name`.svg or `name`.png.
 * @param {string} svg
 * @param {PictureKind} kind
 * @param {string} name
 */
export async function savePicture(svg, kind, name) {
  saveFile(kind === "png" ? await svgToPng(svg) : new Blob([svg], { type: "image/svg+xml" }), `${name}.${kind}`);
}

/** Hand a file to the reader. @param {Blob} blob @param {string} name */
export function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Draw an SVG document on a canvas at twice its size, or as large as a canvas can be.
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
