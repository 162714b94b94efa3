// Polls: asks the server for the votes of the open question while the class sees it.

/** @typedef {import("../shared/wire_types.d.ts").PollState} Poll */

const WAIT_MS = 1_000;

export class Polls {
  /**
   * @param {(slug: string, isRevealed: boolean) => Promise<Poll>} ask opens a lesson's question or tells its answer, or shows none ("")
   * @param {() => void} onChange
   */
  constructor(ask, onChange) {
    this.send = ask;
    this.onChange = onChange;
    /** Whether the teacher has opened the poll; it then goes on with each lesson's question. */
    this.isOpen = false;
    /** @type {string | null} the lesson whose question, or answer, the class sees */
    this.slug = null;
    this.isRevealed = false;
    /** Whether the stage shows how the votes are spread; before, only their number. */
    this.isSpread = false;
    /** @type {Map<string, Poll>} */
    this.known = new Map();
  }

  /** The votes on a lesson's question, or null. @param {string} slug */
  of(slug) {
    return this.known.get(slug) ?? null;
  }

  /** Open the poll; if it is open, show or hide how the votes are spread. @param {string} slug */
  open(slug) {
    if (this.isOpen && this.slug === slug) {
      this.isSpread = !this.isSpread;
      return this.onChange();
    }
    this.isOpen = true;
    this.slug = null;
    this.ask(slug, false);
  }

  /** The class sees the question of a lesson now, or its answer, or neither. @param {string | null} slug @param {boolean} isRevealed */
  ask(slug, isRevealed) {
    if (slug === this.slug && isRevealed === this.isRevealed) return;
    this.slug = slug;
    this.isRevealed = isRevealed;
    this.isSpread = false;
    if (this.isOpen) void this.follow();
  }

  /** Forget the votes that were seen. */
  forget() {
    this.known.clear();
    this.isSpread = false;
  }

  async follow() {
    clearTimeout(this.waiting);
    const { slug, isRevealed } = this;
    try {
      const poll = await this.send(slug ?? "", isRevealed);
      if (slug !== null) this.known.set(slug, poll);
    } catch {
      // Asked again below; without a server, the page says so itself.
    }
    if (slug !== this.slug || isRevealed !== this.isRevealed) return;
    this.onChange();
    if (slug !== null && !isRevealed) this.waiting = setTimeout(() => void this.follow(), WAIT_MS);
  }
}
