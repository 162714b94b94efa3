// Race text: sends the page's text to Python once, because the merge race takes its first word from it. The text may
// come from another page that this page follows.

import { desk } from "../shared/desk.js";
import { component } from "../shared/mount.js";

/** Data from Python; see `ui/merge_tree/race.py`. @typedef {import("../shared/wire_types.d.ts").RaceTextData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").RaceTextEvent} Said */

export default component(".race-text", () => {
  /** @type {string | undefined} */
  let said;
  return {
    /** @param {import("../shared/mount.js").Given<Data, Said>} given */
    update({ data, setTriggerValue }) {
      const text = desk.isNew(data.url, data.text_revision) ? data.text : (desk.textOf("merge_tree") ?? data.text).toWellFormed();
      if (text === data.text || text === said) return;
      said = text;
      setTriggerValue("text", text);
    },
  };
});
