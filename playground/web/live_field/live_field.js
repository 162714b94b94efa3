// Streamlit sends a text area when it is left, or at Ctrl+Enter: here a moment after typing stops, by the same key.

import { leavingNow } from "../shared/leaving.js";
import { component } from "../shared/mount.js";
import { settleMs, WhenSettled } from "./when_settled.js";

/** What the page gives; see `ui/live_field.py`. @typedef {{container: string}} Data */

export default component(".live-field", (_root, signal) => {
  let container = "";
  const typing = new WhenSettled((/** @type {HTMLTextAreaElement} */ area) => {
    if (area.isConnected && !leavingNow.isLeaving) area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }));
  });
  const onInput = (/** @type {Event} */ event) => {
    const area = event.target;
    if (container && area instanceof HTMLTextAreaElement && area.closest(`.st-key-${container}`)) typing.touch(area, settleMs(area.value.length));
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
