// Dialogs over a lesson: the list of keys, going to a lesson by its number, and the blank screen.

import { element } from "../shared/element.js";
import { KEYS, keyName } from "./keys.js";

/** The list of keys. */
export function makeHelp() {
  const dialog = makeDialog("help", "Keys");
  const list = element("dl");
  for (const [, keys, says] of KEYS) {
    const names = element("dt");
    for (const key of keys) names.append(element("kbd", "", keyName(key)));
    list.append(names, element("dd", "", says));
  }
  const form = element("form");
  form.method = "dialog";
  form.append(element("button", "", "Close"));
  dialog.append(list, element("p", "", "At a question, type the answer at once; Enter checks it. Where a letter's key types, press Esc first."), form);
  return dialog;
}

/** A field for the number of a lesson; one that is not there is told. @param {() => number[]} numbers @param {(number: number) => void} go */
export function makeGoto(numbers, go) {
  const dialog = makeDialog("goto", "Go to a lesson");
  const form = element("form"), label = element("label", "named", "Lesson "), field = element("input");
  form.method = "dialog";
  field.type = "number";
  label.append(field);
  field.addEventListener("input", () => field.setCustomValidity(""));
  form.append(label, element("button", "primary", "Go"));
  form.noValidate = true; // asked below, when the number is whole
  form.addEventListener("submit", (event) => {
    const number = field.valueAsNumber;
    if (field.value !== "" && !numbers().includes(number)) {
      event.preventDefault();
      field.setCustomValidity(`There is no lesson ${field.value}. They are numbered ${Math.min(...numbers())} to ${Math.max(...numbers())}.`);
      field.reportValidity();
      return;
    }
    if (field.value !== "") go(number);
  });
  dialog.addEventListener("close", () => {
    field.value = "";
    field.setCustomValidity("");
  });
  dialog.append(form);
  return dialog;
}

/** A dialog that Escape and a click outside close. @param {string} className @param {string} name */
function makeDialog(className, name) {
  const dialog = element("dialog", className);
  dialog.setAttribute("aria-label", name);
  dialog.setAttribute("closedby", "any");
  return dialog;
}
