// Newest wins: work that is done one piece at a time, where only the newest wish counts.

/**
 * Does what was wanted last. While `act` works, newer wishes replace each other; the last of them is done next.
 * @template T
 */
export class NewestWins {
  /** @param {(wanted: T) => Promise<void>} act handles its own errors */
  constructor(act) {
    this.act = act;
    /** @type {{wanted: T} | null} */
    this.next = null;
    /** @type {Promise<void> | null} */
    this.running = null;
  }

  /** @param {T} wanted */
  push(wanted) {
    this.next = { wanted };
    return (this.running ??= this.run());
  }

  /** Forget what waits; what is being done goes on. */
  cancel() {
    this.next = null;
  }

  /** Resolves when nothing is being done and nothing waits. */
  async settled() {
    while (this.running) await this.running;
  }

  async run() {
    try {
      while (this.next) {
        const { wanted } = this.next;
        this.next = null;
        await this.act(wanted);
      }
    } finally {
      this.running = null; // at once: what is pushed after the last look is done as well
    }
  }
}
