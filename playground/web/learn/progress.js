// Progress: which lessons were read to their end, and which were done, kept in this browser alone.
// A lesson is done when its question is answered right; one without a question when what it says to try is tried.

import { TabMemory } from "../shared/tab_memory.js";

/** @typedef {"read" | "answered"} Done */

/**
 * Whether a lesson of so many steps is read to its end: one comes to its last step from the one before, and neither
 * jumps there nor walks back into it.
 * @param {import("./place.js").Place | null} before @param {import("./place.js").Place} place @param {number} nSteps
 */
export const isReadToEnd = (before, place, nSteps) =>
  place.step === nSteps && (nSteps === 1 || (before?.lesson === place.lesson && before.step === nSteps - 1));

export class Progress {
  /** @param {Storage} store */
  constructor(store) {
    /** @type {TabMemory<Record<string, Done>>} */
    this.memory = new TabMemory(store, "tessera.learn.progress");
  }

  /** @param {string} slug @returns {Done | undefined} */
  of(slug) {
    const done = this.memory.read()[slug];
    return done === "read" || done === "answered" ? done : undefined;
  }

  /** What was answered stays so. Another tab may have written since, so what it wrote is read first. @param {string} slug @param {Done} done */
  mark(slug, done) {
    const all = this.memory.read();
    if (all[slug] === "answered" || all[slug] === done) return;
    this.memory.write(/** @type {Record<string, Done>} */ ({ ...all, [slug]: done }));
  }
}
