// Answers: what the server has made of each lesson's input, asked for one at a time, the newest wish first.

import { NewestWins, postJson, Reconnect, sentenceOf } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").ShownLesson} Answer */
/** @typedef {import("../shared/wire_types.d.ts").UnusableInput} Unusable */
/** @typedef {{slug: string, values: Record<string, any>}} Wanted */

export class Answers {
  /**
   * @param {{url: () => string, askForSession: () => void, onAnswer: (wanted: Wanted, answer: Answer) => void,
   *   onProblem: (wanted: Wanted, sentence: string) => void, send?: typeof postJson}} how
   */
  constructor({ url, askForSession, onAnswer, onProblem, send = postJson }) {
    this.url = url;
    this.send = send;
    /** @type {Map<string, {key: string, answer: Answer}>} the newest of each lesson */
    this.kept = new Map();
    /** @type {Wanted | null} */
    this.latest = null;
    /** Whether the latest was known and is shown: an answer to an older wish is not. */
    this.isShown = false;
    this.reconnect = new Reconnect({ askForSession, reopen: () => this.latest && void this.queue.push(this.latest) });
    this.queue = new NewestWins(async (/** @type {Wanted} */ wanted) => {
      try {
        /** @type {Answer | Unusable} */
        const answer = await this.send(this.url(), "show", { lesson: wanted.slug, values: wanted.values });
        this.reconnect.stop();
        this.keep(wanted, answer);
        if (this.isShown) return;
        if ("problem" in answer) onProblem(wanted, answer.problem);
        else onAnswer(wanted, answer);
      } catch (error) {
        this.reconnect.seeks(error);
        if (!this.isShown) onProblem(wanted, sentenceOf(error));
      }
    });
  }

  /** What is known of an input already. @param {Wanted} wanted */
  known({ slug, values }) {
    const kept = this.kept.get(slug);
    return kept?.key === JSON.stringify(values) ? kept.answer : null;
  }

  /** Ask for what an input shows. @param {Wanted} wanted */
  ask(wanted) {
    this.latest = wanted;
    this.isShown = false;
    void this.queue.push(wanted);
  }

  /** What is wanted is known, and shown: nothing is asked. @param {Wanted} wanted */
  shows(wanted) {
    this.latest = wanted;
    this.isShown = true;
    this.queue.cancel();
  }

  /** Ask ahead, once nothing else is asked. @param {Wanted} wanted */
  async prepare(wanted) {
    await this.queue.settled();
    if (this.known(wanted) || this.reconnect.isLost) return;
    try {
      this.keep(wanted, await this.send(this.url(), "show", { lesson: wanted.slug, values: wanted.values }));
    } catch {
      // It is asked for again when it is opened.
    }
  }

  /** Whether a guess is right. @param {Wanted} wanted @param {string} guess @returns {Promise<import("../shared/wire_types.d.ts").CheckedAnswer>} */
  check({ slug, values }, guess) {
    return this.send(this.url(), "check", { lesson: slug, values, guess: guess.toWellFormed() });
  }

  /** The code of a lesson. @param {string} slug @returns {Promise<import("../shared/wire_types.d.ts").LessonCode>} */
  code(slug) {
    return this.send(this.url(), "code", { lesson: slug });
  }

  /** A lesson as a notebook, for an input. @param {Wanted} wanted @returns {Promise<import("../shared/wire_types.d.ts").LessonNotebook>} */
  notebook({ slug, values }) {
    return this.send(this.url(), "notebook", { lesson: slug, values });
  }

  /** The server has another session: what waited is asked there. */
  moved() {
    if (this.reconnect.isLost && this.latest) this.ask(this.latest);
  }

  end() {
    this.queue.cancel();
    this.reconnect.end();
  }

  /** @param {Wanted} wanted @param {Answer | Unusable} answer */
  keep({ slug, values }, answer) {
    if (!("problem" in answer)) this.kept.set(slug, { key: JSON.stringify(values), answer });
  }
}
