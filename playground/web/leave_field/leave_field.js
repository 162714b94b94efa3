// Streamlit sends a field's text when the field is left. A press that does not move the focus, as by a finger or a
// reading aid, would act on the text of before: so the field is left first, before Streamlit sees the click.

import { component } from "../shared/mount.js";

export default component(".leave-field", (_root, signal) => {
  document.addEventListener("click", leaveField, { signal, capture: true });
  return { update() {} };
});

/** @param {MouseEvent} event */
function leaveField(event) {
  const field = document.activeElement;
  const button = event.target instanceof Element ? event.target.closest("[data-testid=stButton] button") : null;
  if (!(button instanceof HTMLElement && field instanceof HTMLElement && field.matches("input, textarea"))) return;
  field.blur();
  event.preventDefault();
  event.stopImmediatePropagation();
  setTimeout(() => button.click()); // once Streamlit has taken the text
}
