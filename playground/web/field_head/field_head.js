// The head of a field of Streamlit, with the menu of examples and the button that live text fields have
// (`shared/text_sources.html`): a file that is chosen, or dropped on the field, goes to Streamlit's uploader.

import { onEarlyFile } from "../shared/early_files.js";
import { element, fillSelect, find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { Notes } from "../shared/notes.js";
import { count } from "../shared/numbers.js";

/** What the page gives, and what it hears. @typedef {import("../shared/wire_types.d.ts").FieldHeadData} Data */
/** @typedef {import("../shared/wire_types.d.ts").FieldHeadEvent} Said */

export default component(".field-top", (root, signal) => {
  const notes = new Notes(find(root, ".notes"));
  const select = find(root, ".examples", HTMLSelectElement), openFile = find(root, ".open-file");
  /** @type {(title: string) => void} */
  let say = () => {};
  let uploader = "", field = "", maxBytes = Infinity;
  const findInput = () => /** @type {HTMLInputElement | null} */ (uploader && document.querySelector(`.st-key-${uploader} input[type=file]`));
  const onChange = () => {
    const title = select.value, typedInto = document.activeElement;
    select.value = ""; // it offers texts, and does not say which one stands there
    if (typedInto instanceof HTMLTextAreaElement) typedInto.blur(); // so that Streamlit has the text that is replaced
    setTimeout(() => say(title));
  };
  const give = (/** @type {File | undefined} */ file) => {
    const input = findInput();
    if (!input || !file) return false;
    const isTooLarge = file.size > maxBytes;
    notes.problem("file", isTooLarge ? `${file.name} has ${count(file.size)} bytes; this page takes up to ${count(maxBytes)}.` : "");
    if (isTooLarge) return true;
    const given = new DataTransfer();
    given.items.add(file);
    input.files = given.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  };
  const chosen = element("input");
  chosen.type = "file";
  chosen.addEventListener("change", () => give(chosen.files?.[0]));
  const choose = () => {
    chosen.value = "";
    chosen.click();
  };
  const isOnField = (/** @type {DragEvent} */ event) => event.composedPath().some((at) => at instanceof Element && at.matches(`.st-key-${field}`));
  const onDrag = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.types.includes("Files") || !isOnField(event)) return;
    event.preventDefault();
    if (event.type === "drop") give(event.dataTransfer.files[0]);
  };
  select.addEventListener("change", onChange, { signal });
  openFile.addEventListener("click", () => choose(), { signal });
  for (const kind of /** @type {const} */ (["dragover", "drop"])) document.addEventListener(kind, onDrag, { signal });
  onEarlyFile(signal, give);
  return {
    /** @param {import("../shared/mount.js").Given<Data, Said>} given */
    update({ data, setTriggerValue }) {
      ({ uploader, field, max_bytes: maxBytes } = data);
      find(root, ".field-label").textContent = data.label;
      openFile.title = data.about_files;
      fillSelect(select, [["", "Examples"], ...data.titles.map((title) => /** @type {[string, string]} */ ([title, title]))]);
      say = (title) => setTriggerValue("chosen", title);
    },
  };
});
