// Notes: sentences below a text field, each for a reason that comes and goes.

import { element } from "./element.js";

/**
 * A sentence below the field; of kind "error" where something is wrong.
 * @param {string} sentence
 * @param {"" | "error" | "quiet"} [kind]
 */
export const note = (sentence, kind = "") => element("div", `note ${kind}`, sentence);

/** What is wrong with a page, one sentence a reason, and the last notes, which are asked for each time. */
export class Notes {
  /**
   * @param {HTMLElement} root
   * @param {() => (HTMLElement | null)[]} makeLast notes below the others, such as a way back
   */
  constructor(root, makeLast = () => []) {
    this.root = root;
    this.makeLast = makeLast;
    /** @type {Map<string, string>} */
    this.problems = new Map();
  }

  /** Say what is wrong for a reason, or that it is no longer: an empty sentence. @param {string} reason @param {string} sentence */
  problem(reason, sentence) {
    if ((this.problems.get(reason) ?? "") === sentence) return;
    if (sentence) this.problems.set(reason, sentence);
    else this.problems.delete(reason);
    this.draw();
  }

  /** Whether something is wrong for one of these reasons. @param {string[]} reasons */
  hasProblem(...reasons) {
    return reasons.some((reason) => this.problems.has(reason));
  }

  draw() {
    const problems = [...this.problems.values()].map((sentence) => note(sentence, "error"));
    this.root.replaceChildren(...problems, ...this.makeLast().filter((made) => made !== null));
  }
}
