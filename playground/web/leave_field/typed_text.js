// Typed text: whether what was typed into a field of Streamlit is yet to be heard by the server.

import { nHeard, nSaid, onceSent } from "../shared/hearing.js";

export class TypedText {
  /** @param {{said: () => number, heard: () => number}} page @param {(act: () => void) => void} later */
  constructor(page = { said: nSaid, heard: nHeard }, later = onceSent) {
    this.page = page;
    this.later = later;
    this.isTyped = false;
    /** Up to which message it was said, once its field was left. @type {number | null} */
    this.last = null;
    this.nTyped = 0;
  }

  type() {
    this.isTyped = true;
    this.last = null;
    this.nTyped += 1;
  }

  /** The field was left, or Enter was pressed in it: Streamlit sends what stands there, if that is new. */
  leave() {
    const typed = this.nTyped;
    this.later(() => {
      if (typed === this.nTyped) this.last ??= this.page.said();
    });
  }

  /** Whether the page is yet to be drawn with what was typed. */
  get isOnItsWay() {
    if (this.last !== null && this.page.heard() >= this.last) this.isTyped = false;
    return this.isTyped;
  }
}
