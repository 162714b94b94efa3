// An own picture: a file that the browser can draw, made a small square of pixels before it is sent.

import { button, element } from "../shared/element.js";

/**
 * A button that takes a file; what is wrong with one is said beside it.
 * @param {string} text
 * @param {number} side
 * @param {(pixels: string) => void} say
 */
export function pictureField(text, side, say) {
  const made = element("span", "own-picture"), input = element("input"), problem = element("span", "problem");
  input.type = "file";
  input.accept = "image/*";
  input.hidden = true;
  input.setAttribute("aria-label", text);
  problem.setAttribute("role", "status");
  const open = button(text, `Take a picture from this computer: its middle, ${side} × ${side} pixels`, () => input.click());
  input.addEventListener("change", async () => {
    const file = input.files?.[0];
    input.value = ""; // the same file can be taken again
    if (!file) return;
    problem.textContent = "";
    try {
      say(await pixelsOf(file, side));
    } catch {
      problem.textContent = `${file.name.slice(0, 40)} is no picture that this browser reads.`;
    }
  });
  made.append(open, input, problem);
  const show = (/** @type {string} */ value) => {
    open.setAttribute("aria-pressed", String(value !== ""));
    problem.textContent = "";
  };
  return { element: made, show };
}

/** The middle of a picture as red, green and blue of each pixel, in base64. @param {Blob} file @param {number} side */
async function pixelsOf(file, side) {
  const image = new Image(), address = URL.createObjectURL(file);
  try {
    image.src = address;
    await image.decode();
  } finally {
    URL.revokeObjectURL(address);
  }
  const canvas = element("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.fillStyle = "#fff"; // where it is transparent
  context.fillRect(0, 0, side, side);
  context.imageSmoothingQuality = "high";
  const { x, y, length } = middleOf(image.naturalWidth, image.naturalHeight);
  context.drawImage(image, x, y, length, length, 0, 0, side, side);
  return base64Of(withoutAlpha(context.getImageData(0, 0, side, side).data));
}

/** The largest square in the middle of a picture. @param {number} width @param {number} height */
export function middleOf(width, height) {
  const length = Math.min(width, height);
  return { x: (width - length) / 2, y: (height - length) / 2, length };
}

/** Three bytes of each pixel's four. @param {Uint8ClampedArray} pixels */
export function withoutAlpha(pixels) {
  return Uint8Array.from({ length: (pixels.length / 4) * 3 }, (_, n) => pixels[4 * Math.floor(n / 3) + (n % 3)]);
}

/** @param {Uint8Array} bytes */
export function base64Of(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 8_192) text += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  return btoa(text);
}
