// The head of a field of Streamlit, with the menu of examples that live text fields have (`shared/text_field.html`).

import { fillSelect, find } from "../shared/element.js";
import { component } from "../shared/mount.js";

/** What the page gives, and what it hears. @typedef {import("../shared/wire_types.d.ts").ExampleMenuData} Data */
/** @typedef {import("../shared/wire_types.d.ts").ExampleMenuEvent} Said */

export default component(".example-menu", (root, signal) => {
  const select = find(root, ".examples", HTMLSelectElement);
  /** @type {(title: string) => void} */
  let say = () => {};
  const onChange = () => {
    const title = select.value, field = document.activeElement;
    select.value = ""; // it offers texts, and does not say which one stands there
    if (field instanceof HTMLTextAreaElement) field.blur(); // so that Streamlit has the text that is replaced
    setTimeout(() => say(title));
  };
  select.addEventListener("change", onChange, { signal });
  return {
    /** @param {import("../shared/mount.js").Given<Data, Said>} given */
    update({ data, setTriggerValue }) {
      find(root, ".field-label").textContent = data.label;
      fillSelect(select, [["", "Examples"], ...data.titles.map((title) => /** @type {[string, string]} */ ([title, title]))]);
      say = (title) => setTriggerValue("chosen", title);
    },
  };
});
