// A button that saves or copies a text that the page has passed to it; no request is needed, so no click is lost.

import { find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { copyText, saveFile } from "../shared/save.js";

/** The label of the button, the text, and the name of the file; "" copies the text. @typedef {import("../shared/wire_types.d.ts").TextFileData} Data */

export default component(".save-text", (root, signal) => {
  /** @type {Data | null} */
  let given = null;
  const button = find(root, "button");
  const act = async () => {
    if (!given) return;
    if (given.file_name) return saveFile(new Blob([given.text], { type: "text/plain;charset=utf-8" }), given.file_name);
    await copyText(given.text);
    button.textContent = "Copied";
    setTimeout(() => given && (button.textContent = given.label), 2_000);
  };
  button.addEventListener("click", act, { signal });
  return {
    /** @param {import("../shared/mount.js").Given<Data>} now */
    update: ({ data }) => {
      given = data;
      button.textContent = data.label;
    },
  };
});
