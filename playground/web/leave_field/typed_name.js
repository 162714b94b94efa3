// A typed name: Streamlit empties the field of a picker of several when a run puts its choice. What was typed since the
// choice before stands there again at once, for Enter takes the first option that has what is left.

import { typeInto } from "./type_into.js";

const FIELD = ".stMultiSelect input";
/** What a person does that empties the field, or is done with it. */
const DONE = ["keydown", "pointerdown", "focusout"];
/** Keys of `DONE` that do so. */
const KEYS = new Set(["Enter", "Escape", "Tab"]);

/** @param {AbortSignal} signal */
export function keepTypedName(signal) {
  let typed = "";
  const observer = new MutationObserver(([change]) => {
    const field = change?.target;
    if (typed && field instanceof HTMLInputElement && !field.value) typeInto(field, typed);
  });
  document.addEventListener("input", (event) => {
    const field = event.target;
    if (!(event.isTrusted && field instanceof HTMLInputElement && field.matches(FIELD))) return;
    typed = field.value;
    observer.observe(field, { attributeFilter: ["value"] }); // React writes it with the value
  }, { signal, capture: true });
  const end = (/** @type {Event} */ event) => {
    const isScript = !event.isTrusted; // the list says by such events which option it is at
    if (isScript || (event instanceof KeyboardEvent && !KEYS.has(event.key))) return;
    typed = "";
    observer.disconnect();
  };
  for (const kind of DONE) document.addEventListener(kind, end, { signal, capture: true });
}
