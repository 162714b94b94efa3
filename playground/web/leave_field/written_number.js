// A written number: Streamlit reads 1e3 in a field of whole numbers as 1, so it is written out before the field is left.
// A browser whose language writes a point drops a typed comma, and 0,15 would be 15: the comma becomes a point, until it
// is seen to group thousands.

import { typeInto } from "./type_into.js";

const THOUSANDS = /^-?[1-9]\d{0,2}\.\d{3}$/;
/** What is typed or pasted with a comma for a point. */
const WITH_COMMA = /^\s*\d*,\d*\s*$/;
const HAS_POINT = (1.5).toLocaleString().includes(".");
/** Fields in which the point was typed as a comma. @type {WeakSet<Element>} */
const commas = new WeakSet();

/** A number with its zeros in place of an exponent or a comma; "" where there is none. @param {string} text @param {boolean} hasComma */
export function writtenOut(text, hasComma = false) {
  if (hasComma && THOUSANDS.test(text)) return text.replace(".", "");
  if (!/e/i.test(text)) return "";
  const written = String(Number(text));
  return /^-?\d+(\.\d+)?$/.test(written) ? written : "";
}

/** Write out what stands in a field of numbers, as if it were typed so. @param {Element | null} field */
export function writeOut(field) {
  if (!(field instanceof HTMLInputElement && field.type === "number")) return;
  const written = writtenOut(field.value, commas.delete(field));
  if (written) typeInto(field, written);
}

/** Take a typed comma as a point, a second one as what groups thousands, as the first then was. @param {InputEvent} event */
export function takeComma(event) {
  const [field] = event.composedPath(), data = event.data ?? ""; // in a component, too
  if (!HAS_POINT || !WITH_COMMA.test(data) || !(field instanceof HTMLInputElement && field.type === "number")) return;
  if (Number.isInteger(Number(field.step))) return;
  event.preventDefault();
  if (data === "," && field.value.includes(".")) return typeInto(field, field.value.replace(".", ""));
  commas.add(field);
  document.execCommand("insertText", false, data.trim().replace(",", ".")); // where the caret stands, which a field of numbers does not tell
}

/** What has the focus, in a component too. @param {DocumentOrShadowRoot} root @returns {Element | null} */
export function focusedIn(root) {
  const focused = root.activeElement;
  return focused?.shadowRoot ? focusedIn(focused.shadowRoot) : focused;
}
