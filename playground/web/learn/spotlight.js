// Spotlight: point at a token, or click it, and the rest dims; what is known of it stands large.

import { element } from "../shared/element.js";

/** What can be lit has `data-spot`: what is then written large. */
const LIT = "[data-spot]";

export class Spotlight {
  /** @param {HTMLElement} stage @param {AbortSignal} signal */
  constructor(stage, signal) {
    this.stage = stage;
    this.large = element("p", "large-spot");
    this.large.hidden = true;
    this.large.setAttribute("aria-live", "polite");
    /** @type {HTMLElement | null} */
    this.lit = null;
    stage.addEventListener("click", (event) => {
      const token = /** @type {Element} */ (event.target).closest(LIT);
      this.light(token instanceof HTMLElement && token !== this.lit ? token : null);
    }, { signal });
  }

  get isOn() {
    return this.lit !== null;
  }

  /** Light an element and no other; null lights none. @param {HTMLElement | null} token */
  light(token) {
    this.lit?.classList.remove("spot");
    this.lit = token;
    token?.classList.add("spot");
    this.stage.classList.toggle("dimmed", token !== null);
    this.large.hidden = token === null;
    this.large.textContent = token?.dataset.spot ?? "";
  }

  /** What can be lit now. */
  get all() {
    return /** @type {HTMLElement[]} */ ([...this.stage.querySelectorAll(LIT)]).filter((one) => one.checkVisibility());
  }

  /** Light the one after the one that is lit, or the first; whether there is any. */
  next() {
    const { all } = this;
    this.light(all[this.lit ? all.indexOf(this.lit) + 1 : 0] ?? null);
    return all.length > 0;
  }

  /** The figure is drawn anew, and what stands in the place of the one that was lit is. @param {() => void} draw */
  keep(draw) {
    const at = this.lit ? this.all.indexOf(this.lit) : -1;
    draw();
    if (at >= 0) this.light(this.all[at] ?? null);
  }
}
