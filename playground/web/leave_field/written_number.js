// A written number: Streamlit reads 1e3 in a field of whole numbers as 1, so it is written out before the field is left.

import { typeInto } from "./type_into.js";

/** A number with its zeros in place of an exponent; "" where there is none. @param {string} text */
export function writtenOut(text) {
  if (!/e/i.test(text)) return "";
  const written = String(Number(text));
  return /^-?\d+(\.\d+)?$/.test(written) ? written : "";
}

/** Write out what stands in a field of numbers, as if it were typed so. @param {Element | null} field */
export function writeOut(field) {
  if (!(field instanceof HTMLInputElement && field.type === "number")) return;
  const written = writtenOut(field.value);
  if (written) typeInto(field, written);
}
