// Type size: the one that was chosen last in this browser is that of each page that opens (`first/first.js` reads it).

/** @typedef {import("../shared/wire_types.d.ts").MemoryData["type_size"]} Size */

export class TypeSize {
  /** What this tab was drawn with last. @type {Size | undefined} */
  #shown;

  /** @param {Pick<import("../shared/tab_memory.js").TabMemory<{size: Size}>, "write" | "forget">} memory */
  constructor(memory) {
    this.memory = memory;
  }

  /** Keep what was chosen; what a tab opens with, or has still when another tab changes it, was not. @param {Size} size */
  show(size) {
    const before = this.#shown;
    this.#shown = size;
    if (before === undefined || before === size) return;
    if (size === "normal") this.memory.forget();
    else this.memory.write({ size });
  }
}
