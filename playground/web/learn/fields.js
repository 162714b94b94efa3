// Fields: the inputs of a lesson, each with its label, and one button that brings the example back.

import { button, element } from "../shared/element.js";
import { pictureField } from "./own_picture.js";

/** What Python says of an input; see `lessons/inputs.py`. @typedef {{kind: "text" | "number" | "choice" | "flag" | "picks" | "picture", name: string, label: string, example: any, rows?: number, is_line?: boolean, is_short?: boolean, minimum?: number, maximum?: number, step?: number, choices?: [string, string][], side?: number}} About */

/** @typedef {Record<string, any>} Values */

const TEXTS = "textarea, input[type='text']";

export class Fields {
  /**
   * @param {About[]} inputs
   * @param {{onChange: (values: Values) => void, onReset: () => void}} heard
   */
  constructor(inputs, { onChange, onReset }) {
    const isPair = inputs.filter(({ kind }) => kind === "text").length === 2; // of two texts each is named; three leave no room
    this.element = element("div", isPair ? "fields named" : "fields");
    /** @type {((values: Values) => void)[]} */
    this.showings = [];
    for (const input of inputs) {
      const made = MAKERS[input.kind]?.(input, (value) => onChange({ [input.name]: value }));
      if (!made) continue;
      this.element.append(made.element);
      this.showings.push((values) => made.show(values[input.name]));
    }
    if (inputs.length) {
      const reset = button("Reset example", "Bring the example back (R)", onReset);
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

  /** Say below the fields why what was typed has no figure; "" where it has one. @param {string} sentence */
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

  /** Show values in the fields; one that is being typed in stays as it is. @param {Values} values */
  show(values) {
    for (const show of this.showings) show(values);
  }
}

/** @typedef {{element: HTMLElement, show: (value: any) => void}} Made */

/** @type {Record<string, (input: About, say: (value: any) => void) => Made>} */
const MAKERS = {
  text(input, say) {
    const field = input.is_line ? makeLine() : element("textarea");
    if (field instanceof HTMLTextAreaElement) field.rows = input.rows ?? 1;
    field.spellcheck = false;
    field.autocapitalize = "off";
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

/** A field that Enter puts no line break into. */
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
