// Text sync: the server's document follows a text, by the difference from what the server last acknowledged.

import { NewestWins } from "./newest_wins.js";
import { findEdit } from "./source_text.js";

/** @typedef {{version: number, start: number, nDeleted: number, inserted: string}} Edit made to this version */

/**
 * Keeps the server's document in step with a text; one request is in flight, and the newest text wins.
 * @template {{version: number}} Answer
 */
export class TextSync {
  /**
   * `send` posts an edit, `onAnswer` runs after every acknowledged one, `onError` when the server refuses one.
   * @param {{send: (edit: Edit) => Promise<Answer>, onAnswer: (answer: Answer, text: string) => void,
   *   onError: (error: unknown) => void | Promise<void>}} how
   */
  constructor({ send, onAnswer, onError }) {
    this.send = send;
    this.onAnswer = onAnswer;
    this.onError = onError;
    this.acknowledged = "";
    this.version = 0;
    /** @type {string | null} */
    this.refused = null;
    this.queue = new NewestWins((/** @type {string} */ text) => this.sendText(text));
  }

  get isRunning() {
    return this.queue.running !== null;
  }

  /** What the server is known to hold. @param {string} text @param {number} version */
  reset(text, version) {
    this.acknowledged = text;
    this.version = version;
    this.refused = null;
  }

  /** Ask for these tokens. @param {string} text */
  push(text) {
    return this.queue.push(text);
  }

  /** Send nothing more than what is on its way. */
  cancel() {
    this.queue.cancel();
  }

  /** Resolves when the server holds what was typed. */
  settled() {
    return this.queue.settled();
  }

  /** @param {string} text */
  async sendText(text) {
    if (text === this.acknowledged || text === this.refused) return;
    const [start, nDeleted, inserted] = findEdit(this.acknowledged, text);
    try {
      const answer = await this.send({ version: this.version, start, nDeleted, inserted });
      this.reset(text, answer.version);
      this.onAnswer(answer, text);
    } catch (error) {
      this.refused = text;
      await this.onError(error);
    }
  }
}
