// A button that saves a file or copies a text, which the page makes in the run that a press asks for.

import { find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { copyWhenMade, saveFile } from "../shared/save.js";
import { fromBase64 } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").FileData} Data */
/** @typedef {import("../shared/wire_types.d.ts").SaveEvent} Said */

/** Return the file of the page's answer. @param {Data} data */
const fileOf = ({ content, is_base64: isBase64 }) =>
  isBase64
    ? new Blob([fromBase64(content ?? "")])
    : new Blob([content ?? ""], { type: "text/plain;charset=utf-8" });

export default component(".save-file", (root, signal) => {
  /** @type {import("../shared/mount.js").Given<Data, Said> | null} */
  let given = null;
  let press = 0;
  /** Takes the answer to the last press. @type {(data: Data) => void} */
  let take = () => {};
  const button = find(root, "button");
  const act = async () => {
    if (!given) return;
    const made = new Promise((/** @type {typeof take} */ resolve) => (take = resolve));
    given.setTriggerValue("press", (press = Date.now()));
    const name = given.data.file_name;
    if (name) return saveFile(fileOf(await made), name);
    await copyWhenMade(made.then((data) => data.content ?? ""));
    button.textContent = "Copied";
    setTimeout(() => given && (button.textContent = given.data.label), 2_000);
  };
  button.addEventListener("click", act, { signal });
  return {
    /** @param {import("../shared/mount.js").Given<Data, Said>} now */
    update: (now) => {
      given = now;
      button.textContent = now.data.label;
      if (now.data.content !== null && now.data.press === press) take(now.data);
    },
  };
});
