// Streamlit sends a field when it is left, or at (Ctrl+)Enter: here a moment after typing stops, by the same key.
// What was typed when the tab is reloaded waits for nothing: the tab keeps it.

import { leavingNow } from "../shared/leaving.js";
import { component } from "../shared/mount.js";
import { typedText } from "../shared/typed_before.js";
import { isSettledNumber, settleMs, WhenSettled } from "./when_settled.js";

/** What the page gives, and the name by which a browser keeps the text; see `ui/live_field.py`. @typedef {{container: string, kept_as: string}} Data */

export default component(".live-field", (_root, signal) => {
  let container = "", keptAs = "";
  /** @type {HTMLTextAreaElement | null} the text field that was typed into */
  let typedInto = null;
  const typing = new WhenSettled((/** @type {HTMLTextAreaElement | HTMLInputElement} */ field) => {
    const isWhole = field instanceof HTMLTextAreaElement || isSettledNumber(field.value);
    if (!field.isConnected || leavingNow.isLeaving || !isWhole) return;
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }));
  });
  const onTyped = (/** @type {EventTarget | null} */ field) => {
    const isField = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "number");
    if (!container || !isField || !field.closest(`.st-key-${container}`)) return;
    if (field instanceof HTMLTextAreaElement) typedInto = field;
    typing.touch(field, settleMs(field.value.length));
  };
  // Its text as it stands: what took the place of what was typed is read too.
  const onHide = () => typedInto?.isConnected && typedText.write({ name: keptAs, text: typedInto.value });
  globalThis.addEventListener("pagehide", onHide, { signal });
  document.addEventListener("input", (event) => onTyped(event.target), { signal });
  return {
    /** @param {{data: Data}} given */
    update({ data }) {
      const isFirst = !container;
      container = data.container;
      keptAs = data.kept_as;
      // The field is there before this is: what has the focus may have been typed into. Streamlit sends only what is new.
      if (isFirst) onTyped(document.activeElement);
    },
    destroy: () => typing.cancel(),
  };
});
