// The input fields of a lesson, and the button that restores the example.

import { button, element } from "../shared/element.js";

/** An input as described by `lessons/inputs.py`. @typedef {{kind: "text" | "number" | "choice" | "flag" | "picks" | "picture", name: string, label: string, example: any, rows?: number, is_line?: boolean, is_short?: boolean, minimum?: number, maximum?: number, step?: number, choices?: [string, string][], side?: number}} About */

/** @typedef {Record<string, any>} Values */

const TEXTS = "textarea, input[type='text']";

export class Fields {
  /**
   * @param {About[]} inputs
   * @param {{onChange: (values: Values) => void, onReset: () => void}} callbacks
   */
  constructor(inputs, { onChange, onReset }) {
    const isPair = inputs.filter(({ kind }) => kind === "text").length === 2; // two texts get labels; for three there is no room
    this.element = element("div", isPair ? "fields named" : "fields");
    /** @type {((values: Values) => void)[]} */
    this.showings = [];
    for (const input of inputs) {
      const made = MAKERS[input.kind]?.(input, (value) => onChange({ [input.name]: value }), isPair);
      if (!made) continue;
      this.element.append(made.element);
      this.showings.push((values) => made.show(values[input.name]));
    }
    if (inputs.length) {
      const reset = button("Reset example", "Restore the example (R)", onReset);
      reset.className = "reset";
      this.element.append(reset);
    }
    this.refused = element("p", "refused");
    this.refused.id = "refused";
    this.refused.setAttribute("role", "status");
    this.element.append(this.refused);
    /** @type {HTMLElement | null} the text that was typed in last */
    this.typed = this.element.querySelector(TEXTS);
    this.element.addEventListener("input", ({ target }) => {
      if (target instanceof HTMLElement && target.matches(TEXTS)) this.typed = target;
    });
  }

  /** Show below the fields why the input has no figure; "" removes the message. @param {string} sentence */
  refuse(sentence) {
    this.refused.textContent = sentence;
    for (const field of this.element.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    if (!sentence) return;
    this.typed?.setAttribute("aria-invalid", "true");
    this.typed?.setAttribute("aria-describedby", this.refused.id);
  }

  /** Show values in the fields. @param {Values} values */
  show(values) {
    for (const show of this.showings) show(values);
  }
}

/** @typedef {{element: HTMLElement, show: (value: any) => void}} Made */

/** @type {Record<string, (input: About, say: (value: any) => void, isNamed: boolean) => Made>} `isNamed`: the label of a text is visible */
const MAKERS = {
  text(input, say, isNamed) {
    const field = input.is_line ? makeLine() : element("textarea");
    if (field instanceof HTMLTextAreaElement) field.rows = input.rows ?? 1;
    field.spellcheck = false;
    field.autocapitalize = "off";
    if (!input.example && !isNamed) field.placeholder = input.label;
    field.addEventListener("input", () => say(field.value.toWellFormed()));
    const show = (/** @type {string} */ value) => {
      if (field.value !== value) field.value = value;
    };
    return { element: labelled(input.label, field, input.is_short ? "text-field short" : "text-field"), show };
  },
  number(input, say) {
    const range = element("input");
    range.type = "range";
    range.min = String(input.minimum);
    range.max = String(input.maximum);
    range.step = String(input.step);
    const shown = element("output");
    range.addEventListener("input", () => {
      shown.textContent = range.valueAsNumber.toLocaleString("en");
      say(range.valueAsNumber);
    });
    const show = (/** @type {number} */ value) => {
      range.value = String(value);
      shown.textContent = value.toLocaleString("en");
    };
    const made = labelled(input.label, range, "slider");
    made.append(shown);
    return { element: made, show };
  },
  choice(input, say) {
    const group = element("span", "choice");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", input.label);
    const buttons = (input.choices ?? []).map(([value, label]) => {
      const one = button(label, label, () => say(value));
      one.dataset.value = value;
      group.append(one);
      return one;
    });
    const show = (/** @type {string} */ value) => {
      for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.value === value));
    };
    return { element: group, show };
  },
  flag(input, say) {
    const box = element("input");
    box.type = "checkbox";
    box.addEventListener("change", () => say(box.checked));
    return { element: labelled(input.label, box, "flag"), show: (value) => (box.checked = Boolean(value)) };
  },
  picture: (input, say) => pictureField(input.label, input.side ?? 256, say),
};

/** A field of one line. */
function makeLine() {
  const line = element("input");
  line.type = "text";
  line.autocomplete = "off";
  return line;
}

/** @param {string} text @param {HTMLElement} field @param {string} className */
function labelled(text, field, className) {
  const label = element("label", className);
  label.append(element("span", "name", text), field);
  return label;
}

/**
 * A button that opens a picture file, with a message beside it for a file that can't be read.
 * @param {string} text
 * @param {number} side
 * @param {(pixels: string) => void} say
 */
function pictureField(text, side, say) {
  const made = element("span", "own-picture"), input = element("input"), problem = element("span", "problem");
  input.type = "file";
  input.accept = "image/*";
  input.hidden = true;
  input.setAttribute("aria-label", text);
  problem.setAttribute("role", "status");
  const open = button(text, `Open a picture file; its middle square is used, at ${side} × ${side} pixels`, () => input.click());
  input.addEventListener("change", async () => {
    const file = input.files?.[0];
    input.value = ""; // so that the same file can be chosen again
    if (!file) return;
    problem.textContent = "";
    try {
      say(await pixelsOf(file, side));
    } catch {
      problem.textContent = `This browser can't read ${file.name.slice(0, 40)} as a picture. Choose a PNG or JPEG file.`;
    }
  });
  made.append(open, input, problem);
  const show = (/** @type {string} */ value) => {
    open.setAttribute("aria-pressed", String(value !== ""));
    problem.textContent = "";
  };
  return { element: made, show };
}

/** The middle square of a picture as base64 of its RGB bytes. @param {Blob} file @param {number} side */
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
  context.fillStyle = "#fff"; // the background of transparent pixels
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

/** RGBA bytes without the alpha bytes. @param {Uint8ClampedArray} pixels */
export function withoutAlpha(pixels) {
  return Uint8Array.from({ length: (pixels.length / 4) * 3 }, (_, n) => pixels[4 * Math.floor(n / 3) + (n % 3)]);
}

/** @param {Uint8Array} bytes */
export function base64Of(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 8_192) text += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  return btoa(text);
}
