// To type into a field of Streamlit: React keeps the field's own `value`, and hears of another by the event.

/** @param {HTMLInputElement | HTMLTextAreaElement} field @param {string} text */
export function typeInto(field, text) {
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
