// Polls: asks the server for the votes of the open question while the class sees it.

/** @typedef {import("../shared/wire_types.d.ts").PollState} Poll */

const WAIT_MS = 1_000;

export class Polls {
  /**
   * @param {(slug: string) => Promise<Poll>} ask opens a lesson's question, or closes the open one ("")
   * @param {() => void} onChange
   */
  constructor(ask, onChange) {
    this.send = ask;
    this.onChange = onChange;
    /** Whether the teacher has opened the poll; it then goes on with each lesson's question. */
    this.isOpen = false;
    /** @type {string | null} the lesson whose question the class sees */
    this.slug = null;
    /** @type {Map<string, Poll>} */
    this.known = new Map();
  }

  /** The votes on a lesson's question, or null. @param {string} slug */
  of(slug) {
    return this.known.get(slug) ?? null;
  }

  /** @param {string} slug */
  open(slug) {
    this.isOpen = true;
    this.slug = null;
    this.ask(slug);
  }

  /** The class sees the question of another lesson now, or none. @param {string | null} slug */
  ask(slug) {
    if (slug === this.slug) return;
    this.slug = slug;
    if (this.isOpen) void this.follow();
  }

  async follow() {
    clearTimeout(this.waiting);
    const { slug } = this;
    try {
      const poll = await this.send(slug ?? "");
      if (slug !== null) this.known.set(slug, poll);
    } catch {
      // Asked again below; without a server, the page says so itself.
    }
    if (slug !== this.slug) return;
    this.onChange();
    if (slug !== null) this.waiting = setTimeout(() => void this.follow(), WAIT_MS);
  }
}
