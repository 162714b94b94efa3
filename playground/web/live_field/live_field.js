// Streamlit sends a field when it is left, or at (Ctrl+)Enter: here a moment after typing stops, by the same key.

import { leavingNow } from "../shared/leaving.js";
import { component } from "../shared/mount.js";
import { isSettledNumber, settleMs, WhenSettled } from "./when_settled.js";

/** What the page gives; see `ui/live_field.py`. @typedef {{container: string}} Data */

export default component(".live-field", (_root, signal) => {
  let container = "";
  const typing = new WhenSettled((/** @type {HTMLTextAreaElement | HTMLInputElement} */ field) => {
    const isWhole = field instanceof HTMLTextAreaElement || isSettledNumber(field.value);
    if (!field.isConnected || leavingNow.isLeaving || !isWhole) return;
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }));
  });
  const onInput = (/** @type {Event} */ event) => {
    const field = event.target;
    const isField = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "number");
    if (container && isField && field.closest(`.st-key-${container}`)) typing.touch(field, settleMs(field.value.length));
  };
  document.addEventListener("input", onInput, { signal });
  return {
    /** @param {{data: Data}} given */
    update({ data }) {
      container = data.container;
    },
    destroy: () => typing.cancel(),
  };
});
