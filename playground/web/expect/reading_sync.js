// Asks the server for the reading of a text, a chunk at a time; the newest text wins.

import { NewestWins, Reconnect, sentenceOf } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").ExpectAnswer} Answer */
/** @typedef {import("../shared/wire_types.d.ts").ExpectRequests["read"]} Request */
/** A text in its parts, and the session that reads it. @typedef {{url: string, body: Request}} Wanted */

export class ReadingSync {
  /**
   * `onAnswer` gets each answer with what it answers; `onProblem` a sentence, "" when all is well.
   * @param {{send: (url: string, body: Request) => Promise<Answer>, askForSession: () => void,
   *   onAnswer: (answer: Answer, wanted: Wanted) => void, onProblem: (sentence: string, error?: unknown) => void}} how
   */
  constructor({ send, askForSession, onAnswer, onProblem }) {
    this.send = send;
    this.onAnswer = onAnswer;
    this.onProblem = onProblem;
    /** @type {Wanted | null} what was wanted last */
    this.wanted = null;
    this.queue = new NewestWins((/** @type {Wanted} */ wanted) => this.ask(wanted));
    this.reconnect = new Reconnect({ askForSession, reopen: () => this.wanted && this.push(this.wanted) });
  }

  /** @param {Wanted} wanted */
  push(wanted) {
    this.wanted = wanted;
    return this.queue.push(wanted);
  }

  /** Forget what is wanted; a request on its way has no effect any more. */
  cancel() {
    this.wanted = null;
    this.queue.cancel();
  }

  /** The page was left. */
  end() {
    this.cancel();
    this.reconnect.end();
  }

  /** @param {Wanted} wanted */
  async ask(wanted) {
    try {
      const answer = await this.send(wanted.url, wanted.body);
      this.reconnect.stop();
      if (this.wanted !== wanted) return;
      this.onProblem("");
      this.onAnswer(answer, wanted);
      if (!answer.is_over) this.queue.push(wanted);
    } catch (error) {
      this.reconnect.seeks(error);
      if (this.wanted === wanted) this.onProblem(sentenceOf(error), error);
    }
  }
}
