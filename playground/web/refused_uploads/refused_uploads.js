// Refused uploads: sentences about the files that the server did not take, until others are chosen.

import { component } from "../shared/mount.js";
import { Notes } from "../shared/notes.js";
import { isRefused, iterTooLarge, reasonOf } from "./uploads.js";

/** What the page gives. @typedef {import("../shared/wire_types.d.ts").RefusedUploadsData} Data */

export default component(".refused-uploads", (root, signal) => {
  const notes = new Notes(root), told = new Set();
  /** @type {Data | null} */
  let limit = null;
  const forget = (/** @type {Event} */ event) => {
    const { target } = event;
    if (event.type === "change" && !(target instanceof HTMLInputElement && target.type === "file")) return;
    for (const name of told) notes.problem(name, "");
    told.clear();
    if (!limit || !(target instanceof Element && target.closest(`.st-key-${CSS.escape(limit.uploader)}`))) return;
    const files = event instanceof DragEvent ? event.dataTransfer?.files : /** @type {HTMLInputElement} */ (target).files;
    for (const [name, sentence] of iterTooLarge(files ?? [], limit.max_bytes)) {
      told.add(name);
      notes.problem(name, sentence);
    }
  };
  const tell = async (/** @type {PerformanceResourceTiming} */ sent) => {
    if (!isRefused(sent)) return;
    const reason = await reasonOf(sent, (url) => fetch(url));
    if (signal.aborted) return;
    told.add(sent.name);
    notes.problem(sent.name, reason);
  };
  const observer = new PerformanceObserver((list) => {
    for (const sent of /** @type {PerformanceResourceTiming[]} */ (list.getEntries())) tell(sent);
  });
  observer.observe({ type: "resource" });
  for (const kind of ["change", "drop"]) document.addEventListener(kind, forget, { signal, capture: true });
  return {
    /** @param {import("../shared/mount.js").Given<Data | null>} given */
    update({ data }) {
      limit = data;
    },
    destroy: () => observer.disconnect(),
  };
});
