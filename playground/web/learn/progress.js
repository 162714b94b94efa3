// Progress: which lessons were read to their end, and which were answered, kept in this browser alone.

import { TabMemory } from "../shared/tab_memory.js";

/** @typedef {"read" | "answered"} Done */

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
