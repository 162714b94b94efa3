// Answers: fetches each lesson's result for an input; one request at a time, the newest input first.

import { NewestWins, postJson, Reconnect, sentenceOf } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").ShownLesson} Answer */
/** @typedef {import("../shared/wire_types.d.ts").UnusableInput} Unusable */
/** @typedef {{slug: string, values: Record<string, any>}} Wanted */

/** Answers that are kept: those of the steps around. */
const MAX_KEPT = 12;

export class Answers {
  /**
   * @param {{url: () => string, askForSession: () => void, onAnswer: (wanted: Wanted, answer: Answer) => void,
   *   onProblem: (wanted: Wanted, sentence: string) => void, send?: typeof postJson}} how
   */
  constructor({ url, askForSession, onAnswer, onProblem, send = postJson }) {
    this.url = url;
    this.send = send;
    /** @type {Map<string, Answer>} by lesson and input, the newest last */
    this.kept = new Map();
    /** @type {Wanted | null} */
    this.latest = null;
    /** Whether the latest input's answer was cached and is shown; a late answer to an older input is then ignored. */
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

  /** The cached answer for an input, or null. @param {Wanted} wanted */
  known(wanted) {
    return this.kept.get(keyOf(wanted)) ?? null;
  }

  /** Request the answer for an input. @param {Wanted} wanted */
  ask(wanted) {
    this.latest = wanted;
    this.isShown = false;
    void this.queue.push(wanted);
  }

  /** Note that the answer for this input is shown already, and cancel the waiting request. @param {Wanted} wanted */
  shows(wanted) {
    this.latest = wanted;
    this.isShown = true;
    this.queue.cancel();
  }

  /** Request an answer in advance, when no other request is running. @param {Wanted} wanted */
  async prepare(wanted) {
    await this.queue.settled();
    if (this.known(wanted) || this.reconnect.isLost) return;
    try {
      this.keep(wanted, await this.send(this.url(), "show", { lesson: wanted.slug, values: wanted.values }));
    } catch {
      // The answer is requested again when the lesson opens.
    }
  }

  /** Check a guess on the server. @param {Wanted} wanted @param {string} guess @returns {Promise<import("../shared/wire_types.d.ts").CheckedAnswer>} */
  check({ slug, values }, guess) {
    return this.send(this.url(), "check", { lesson: slug, values, guess: guess.toWellFormed() });
  }

  /** Open a lesson's first question for phones, tell its answer, or show none (""). @param {string} slug @param {boolean} is_revealed @param {string} app the app's address @returns {Promise<import("../shared/wire_types.d.ts").PollState>} */
  poll(slug, is_revealed, app) {
    return this.send(this.url(), "poll", { lesson: slug, is_revealed, app });
  }

  /** Fetch the source code of a lesson's functions. @param {string} slug @returns {Promise<import("../shared/wire_types.d.ts").LessonCode>} */
  code(slug) {
    return this.send(this.url(), "code", { lesson: slug });
  }

  /** Fetch a lesson with an input as a notebook. @param {Wanted} wanted @returns {Promise<import("../shared/wire_types.d.ts").LessonNotebook>} */
  notebook({ slug, values }) {
    return this.send(this.url(), "notebook", { lesson: slug, values });
  }

  /** Called when the page has a new server session: repeat the request that failed. */
  moved() {
    if (this.reconnect.isLost && this.latest) this.ask(this.latest);
  }

  end() {
    this.queue.cancel();
    this.reconnect.end();
  }

  /** @param {Wanted} wanted @param {Answer | Unusable} answer */
  keep(wanted, answer) {
    if ("problem" in answer) return;
    this.kept.delete(keyOf(wanted));
    this.kept.set(keyOf(wanted), answer);
    if (this.kept.size > MAX_KEPT) this.kept.delete([...this.kept.keys()][0]);
  }
}

/** @param {Wanted} wanted */
const keyOf = ({ slug, values }) => JSON.stringify([slug, values]);
