// Race text: the merge race takes its first word from the text of its page, also from one that the page follows and has
// not shown yet. It says that text to the page, once.

import { desk } from "../shared/desk.js";
import { component } from "../shared/mount.js";

/** What the page gives; see `ui/merge_tree/race.py`. @typedef {import("../shared/wire_types.d.ts").RaceTextData} Data */
/** What it says to the page. @typedef {import("../shared/wire_types.d.ts").RaceTextEvent} Said */

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
