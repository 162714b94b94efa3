// Asks the server for the reading of a text, a chunk at a time; the newest text wins.

import { Requests } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").ExpectAnswer} Answer */
/** @typedef {import("../shared/wire_types.d.ts").ExpectRequests["read"]} Request */
/** A text in its parts, and the session that reads it. @typedef {{url: string, body: Request}} Wanted */

/**
 * Requests that read a text to its end. `onAnswer` gets each answer with what it answers; the rest is as in `Requests`.
 * @param {{send: (url: string, body: Request) => Promise<Answer>, askForSession: () => void,
 *   onAnswer: (answer: Answer, wanted: Wanted) => void, onProblem: (sentence: string, error?: unknown) => void}} use
 */
export function readingRequests({ send, onAnswer, ...use }) {
  /** @type {Requests<Wanted>} */
  const requests = new Requests({ ...use, ask: async (wanted) => {
    const answer = await send(wanted.url, wanted.body);
    if (requests.wanted !== wanted) return;
    onAnswer(answer, wanted);
    if (!answer.is_over) void requests.push(wanted);
  } });
  return requests;
}
