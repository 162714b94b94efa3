// Refused uploads: sentences about the files that the server did not take, until others are chosen.

import { component } from "../shared/mount.js";
import { Notes } from "../shared/notes.js";
import { isRefused, reasonOf } from "./uploads.js";

export default component(".refused-uploads", (root, signal) => {
  const notes = new Notes(root), told = new Set();
  const forget = (/** @type {Event} */ event) => {
    const { target } = event;
    if (event.type === "change" && !(target instanceof HTMLInputElement && target.type === "file")) return;
    for (const name of told) notes.problem(name, "");
    told.clear();
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
  return { update() {}, destroy: () => observer.disconnect() };
});
