// Typed text: whether what was typed into a field of Streamlit may be on its way to the server.

/** A field that was left longer ago, and began no run of the page, had nothing to say. */
const BEGIN_MS = 2000;
/** How long a run may take before nobody waits for it any more. */
const END_MS = 5000;

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
    /** Whether the page has begun to run since the field was left. */
    this.hasBegun = false;
  }

  type() {
    this.isTyped = true;
    this.leftAt = Infinity;
    this.hasBegun = false;
  }

  /** The field was left, or Enter was pressed in it: Streamlit sends what stands there. */
  leave() {
    if (this.leftAt === Infinity) this.leftAt = this.now();
  }

  /** The page has begun to run, or has ended its run. */
  changeRun() {
    if (this.isRunning()) this.hasBegun ||= this.leftAt !== Infinity;
    else if (this.hasBegun) this.isTyped = false;
  }

  /** Whether the page is yet to run with what was typed. */
  get isOnItsWay() {
    if (this.isTyped && !this.isRunning() && this.now() - this.leftAt > BEGIN_MS) this.isTyped = false;
    return this.isTyped;
  }

  /** Calls `act` once the page has run with it. @param {() => void} act @param {(look: () => void) => void} later */
  whenHeard(act, later = (look) => setTimeout(look, 20)) {
    const end = this.now() + END_MS;
    this.leave();
    const look = () => {
      if (this.now() < end && (this.isRunning() || this.isOnItsWay)) return later(look);
      this.isTyped = false;
      act();
    };
    look();
  }
}
