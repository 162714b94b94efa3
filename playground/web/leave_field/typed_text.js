// Typed text: whether what was typed into a field of Streamlit may be on its way to the server.

/** A field that was left longer ago has been heard. */
const HEARD_MS = 1000;
/** How long the page may take to begin its run, and to end it, before nobody waits for it any more. */
const BEGIN_MS = 150, END_MS = 5000;

export class TypedText {
  /**
   * @param {() => boolean} isRunning whether the page runs
   * @param {() => number} now in ms
   */
  constructor(isRunning, now = () => performance.now()) {
    this.isRunning = isRunning;
    this.now = now;
    this.isTyped = false;
    this.leftAt = Infinity;
  }

  type() {
    this.isTyped = true;
    this.leftAt = Infinity;
  }

  leave() {
    if (this.leftAt === Infinity) this.leftAt = this.now();
  }

  /** Whether the page is yet to run with what was typed. */
  get isOnItsWay() {
    if (this.isTyped && !this.isRunning() && this.now() - this.leftAt > HEARD_MS) this.isTyped = false;
    return this.isTyped;
  }

  /** Calls `act` once the page has run with it. @param {() => void} act @param {(look: () => void) => void} later */
  whenHeard(act, later = (look) => setTimeout(look, 20)) {
    const begin = this.now();
    let hasBegun = false;
    const look = () => {
      const isRunning = this.isRunning(), ms = this.now() - begin;
      hasBegun ||= isRunning;
      if (ms < END_MS && (isRunning || !(hasBegun || ms > BEGIN_MS))) return later(look);
      this.isTyped = false;
      act();
    };
    look();
  }
}
