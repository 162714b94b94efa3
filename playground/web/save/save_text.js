// A button that saves a text which the page has given: nothing asks the server, so no click comes too late for it.

import { find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { saveFile } from "../shared/save.js";

/** What the page gives: what stands on the button, the text, and the name of the file. @typedef {import("../shared/wire_types.d.ts").TextFileData} Data */

export default component(".save-text", (root, signal) => {
  /** @type {Data | null} */
  let given = null;
  const button = find(root, "button");
  const save = () => given && saveFile(new Blob([given.text], { type: "text/plain;charset=utf-8" }), given.file_name);
  button.addEventListener("click", save, { signal });
  return {
    /** @param {import("../shared/mount.js").Given<Data>} now */
    update: ({ data }) => {
      given = data;
      button.textContent = data.label;
    },
  };
});
