// Tour: three things to try, for who is here for the first time; gone for good once one has typed, or closed it.

import { find } from "../shared/element.js";
import { TabMemory } from "../shared/tab_memory.js";

/** What the three do. @typedef {{type: () => void, open: () => void, compare: () => void}} Acts */

export class Tour {
  /** @param {HTMLElement} root @param {AbortSignal} signal @param {Acts} acts */
  constructor(root, signal, acts) {
    this.part = find(root, ".tour");
    /** @type {TabMemory<{isOver: boolean}>} */
    this.memory = new TabMemory(localStorage, "tessera.tour");
    for (const name of /** @type {const} */ (["type", "open", "compare"])) {
      find(this.part, `[data-try="${name}"]`).addEventListener("click", () => acts[name](), { signal });
    }
    find(this.part, ".close-tour").addEventListener("click", () => this.end(), { signal });
  }

  /** Offer it, unless it was ended once. */
  begin() {
    this.part.hidden = this.memory.read().isOver === true;
  }

  end() {
    if (this.part.hidden) return;
    this.part.hidden = true;
    this.memory.write({ isOver: true });
  }
}
