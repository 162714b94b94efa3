// Pictures: a picture in patches, the learned codebook, and the picture decoded from its integers.

import { element } from "../../shared/element.js";
import { fromBase64 } from "../../shared/wire.js";
import { count } from "../../shared/wording.js";

/** Pictures are base64 of RGB bytes. @typedef {{width: number, side: number, pixels: string, codebook: string, numbers: number[], decibels: number | null}} Data */
/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** Integers shown around the chosen one. */
const N_ACROSS = 6, N_DOWN = 7;

/** @type {import("./table.js").Mount} */
export default function mount(root, { signal }) {
  const picture = element("div", "picture"), middle = element("div", "middle"), side = element("div", "side");
  picture.tabIndex = 0;
  picture.dataset.ownArrows = "";
  picture.setAttribute("role", "img");
  side.setAttribute("aria-live", "polite");
  root.append(picture, middle, side);
  /** The chosen position as a fraction of the picture, so that it stays when patches become smaller. */
  let chosen = { x: 0.44, y: 0.4 };
  /** @type {{data: Data, pixels: Bytes, codebook: Bytes, across: number} | null} what is shown, its bytes read once */
  let shown = null;
  let step = 1;

  const cell = () => {
    const across = shown?.across ?? 1;
    return { column: Math.floor(chosen.x * across), row: Math.floor(chosen.y * across) };
  };
  const choose = (/** @type {number} */ x, /** @type {number} */ y) => {
    const before = cell();
    chosen = { x: Math.min(Math.max(x, 0), 0.9999), y: Math.min(Math.max(y, 0), 0.9999) };
    const now = cell();
    if (now.column !== before.column || now.row !== before.row) drawChosen();
  };
  const under = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const { left, top, width, height } = picture.getBoundingClientRect();
    choose((clientX - left) / width, (clientY - top) / height);
  };
  picture.addEventListener("pointermove", under, { signal });
  picture.addEventListener("click", under, { signal });
  picture.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || !shown) return;
    event.preventDefault();
    const { column, row } = cell();
    choose((column + by[0] + 0.5) / shown.across, (row + by[1] + 0.5) / shown.across);
  }, { signal });

  const drawChosen = () => {
    if (!shown) return;
    const { data, pixels, codebook, across } = shown, { column, row } = cell(), at = row * across + column, number = data.numbers[at];
    mark(picture, at, across);
    const patch = framed(draw(data.side, patchOf(pixels, data.width, data.side, at)));
    if (step === 1) {
      middle.replaceChildren(patch);
      side.replaceChildren(numbered(count(data.numbers.length), "patches"));
    }
    if (step === 2) {
      mark(middle, number, acrossOf(codebook, data.side));
      const pair = element("div", "pair"), nBytes = 3 * data.side ** 2;
      pair.append(patch, element("span", "", "→"), framed(draw(data.side, codebook.subarray(number * nBytes, (number + 1) * nBytes))));
      side.replaceChildren(pair, numbered(String(number), "is its integer"));
    }
    if (step === 3) {
      middle.replaceChildren(integers(data.numbers, across, column, row));
      side.replaceChildren(
        data.decibels === null ? numbered("0", "errors") : numbered(data.decibels.toFixed(1), "dB PSNR (similarity)"),
        numbered(count(data.numbers.length), "tokens"),
        numbered(String(bitsOf(codebook.length / (3 * data.side ** 2))), "bits each"),
        numbered(count(pixels.length), "bytes before"),
      );
    }
  };

  return {
    /** @param {number} now @param {Data} data */
    show(now, data) {
      step = now;
      if (shown?.data !== data) {
        shown = { data, pixels: fromBase64(data.pixels), codebook: fromBase64(data.codebook), across: data.width / data.side };
      }
      const { pixels, codebook, across } = shown;
      if (step < 3) picture.replaceChildren(draw(data.width, pixels), grid(across));
      else picture.replaceChildren(draw(data.width, pictureOf(data.numbers, codebook, data.side, data.width)));
      picture.setAttribute("aria-label", `The picture${step < 3 ? "" : " from its integers"}, ${count(data.numbers.length)} patches; arrows choose one`);
      const nAcross = acrossOf(codebook, data.side), all = Array.from({ length: codebook.length / (3 * data.side ** 2) }, (_, n) => n);
      middle.replaceChildren(draw(nAcross * data.side, pictureOf(all, codebook, data.side, nAcross * data.side)), grid(nAcross));
      drawChosen();
    },
  };
}

/** The codebook's entries per line, which make it a square. @param {Bytes} codebook @param {number} side */
const acrossOf = (codebook, side) => Math.ceil(Math.sqrt(codebook.length / (3 * side ** 2)));

/** The number of bits that number the entries. @param {number} nEntries */
const bitsOf = (nEntries) => Math.max(1, Math.ceil(Math.log2(nEntries)));

/** An SVG path of the lines of a square grid. @param {number} across */
function grid(across) {
  const lines = element("i", "grid");
  lines.style.backgroundSize = `${100 / across}% ${100 / across}%`;
  return lines;
}

/** Outline one square of a grid. @param {HTMLElement} box @param {number} n @param {number} across */
function mark(box, n, across) {
  const at = element("i", "at");
  at.style.left = `${(100 * (n % across)) / across}%`;
  at.style.top = `${(100 * Math.floor(n / across)) / across}%`;
  at.style.width = at.style.height = `${100 / across}%`;
  box.querySelector(".at")?.remove();
  box.append(at);
}

/** The bytes of one patch. @param {Uint8Array} bytes @param {number} width @param {number} side @param {number} n */
export function patchOf(bytes, width, side, n) {
  const across = width / side, left = (n % across) * side, top = Math.floor(n / across) * side;
  const patch = new Uint8Array(3 * side * side);
  for (let y = 0; y < side; y++) {
    const start = 3 * ((top + y) * width + left);
    patch.set(bytes.subarray(start, start + 3 * side), 3 * side * y);
  }
  return patch;
}

/** The picture that the integers and the codebook encode. @param {number[]} numbers @param {Uint8Array} codebook @param {number} side @param {number} width */
export function pictureOf(numbers, codebook, side, width) {
  const bytes = new Uint8Array(3 * width * width), across = width / side, line = 3 * side;
  for (const [n, number] of numbers.entries()) {
    for (let y = 0; y < side; y++) {
      const from = (number * side + y) * line, to = 3 * ((Math.floor(n / across) * side + y) * width + (n % across) * side);
      bytes.set(codebook.subarray(from, from + line), to);
    }
  }
  return bytes;
}

/** A canvas with a square of pixels. @param {number} side @param {Uint8Array} bytes */
function draw(side, bytes) {
  const canvas = element("canvas"), context = canvas.getContext("2d");
  canvas.width = canvas.height = side;
  const image = new ImageData(side, side);
  for (let n = 0; n < side * side; n++) image.data.set([bytes[3 * n], bytes[3 * n + 1], bytes[3 * n + 2], 255], 4 * n);
  context?.putImageData(image, 0, 0);
  return canvas;
}

/** A table of the integers around a patch. @param {number[]} numbers @param {number} across @param {number} column @param {number} row */
function integers(numbers, across, column, row) {
  const box = element("div", "integers");
  const first = (/** @type {number} */ at, /** @type {number} */ n) => Math.min(Math.max(at - Math.floor(n / 2), 0), across - n);
  const left = first(column, N_ACROSS), top = first(row, N_DOWN);
  for (let y = top; y < top + N_DOWN; y++) {
    for (let x = left; x < left + N_ACROSS; x++) {
      const number = numbers[y * across + x];
      const token = element("span", `t c${number % 4}`, String(number));
      token.dataset.spot = String(number);
      token.classList.toggle("chosen", x === column && y === row);
      box.append(token);
    }
  }
  return box;
}

/** @param {HTMLElement} inside */
function framed(inside) {
  const box = element("span", "patch");
  box.append(inside);
  return box;
}

/** @param {string} number @param {string} of */
function numbered(number, of) {
  const made = element("p", "line");
  made.append(element("b", "number", number), element("span", "", of));
  return made;
}
