// Question: it is asked about the class's present input, an answer is checked at once, and A shows it.

import { button, element } from "../shared/element.js";

/** A check that takes longer is told. */
const WAIT_MS = 300;

/** What is asked, and what the answer is and may begin with. @typedef {Pick<import("../shared/wire_types.d.ts").ShownLesson, "asks" | "answer" | "begins_with">} Asked */

/** The keys that a field without an answer leaves to the lesson, by what an answer begins with. @type {Record<Asked["begins_with"], string>} */
const LEFT = { digit: "arrows space letters", letter: "arrows space", space: "arrows" };

export class Question {
  /** @param {{check: (guess: string) => Promise<{is_right: boolean, hint: string}>, onDone: () => void, onTold: () => void}} how */
  constructor({ check, onDone, onTold }) {
    this.check = check;
    this.onDone = onDone;
    this.onTold = onTold;
    /** @type {Asked} */
    this.asked = { asks: "", answer: "", begins_with: "letter" };
    /** The guess that the reply is about. */
    this.judged = "";
    /** The field gets the focus as soon as something is asked. */
    this.isAwaited = false;
    this.asks = element("p", "asks");
    this.field = element("input");
    this.field.type = "text";
    this.field.autocomplete = "off";
    this.field.setAttribute("aria-label", "Your answer");
    this.field.addEventListener("input", () => this.leaveKeys());
    this.said = element("p", "said");
    this.said.setAttribute("aria-live", "polite");
    const form = element("form");
    const submit = element("button", "primary", "Check");
    submit.type = "submit";
    form.append(this.field, submit, button("Show answer", "Show the answer (A)", () => this.reveal()));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.judge();
    });
    this.element = element("section", "question");
    this.element.setAttribute("aria-label", "Question");
    this.element.append(this.asks, form, this.said);
  }

  /** Ask; what was said of an earlier question goes. @param {Asked} asked */
  show(asked) {
    const { asks, answer } = this.asked;
    this.element.hidden = !asked.asks;
    this.asked = asked;
    if (asks !== asked.asks || answer !== asked.answer) {
      this.asks.textContent = asked.asks;
      this.clear();
      this.tell("", "");
    }
    if (this.isAwaited) this.focus(true);
  }

  /** Give the field the focus, or take it away. @param {boolean} isWanted */
  focus(isWanted) {
    this.isAwaited = isWanted && !this.asked.asks;
    if (isWanted) this.field.focus({ preventScroll: true });
    else this.field.blur();
  }

  clear() {
    this.field.value = this.judged = "";
    this.leaveKeys();
  }

  /** Say which keys are the lesson's: some of them as long as one types no answer. */
  leaveKeys() {
    this.field.dataset.leaves = this.field.value === this.judged ? LEFT[this.asked.begins_with] : "";
  }

  /** Show the answer; a wrong guess does not stay beside it. */
  reveal() {
    if (!this.asked.asks) return;
    this.clear();
    this.tell(this.asked.answer, "answer");
  }

  async judge() {
    const guess = this.field.value, { asks } = this.asked;
    if (!guess.trim() && this.asked.begins_with !== "space") return this.tell("Type an answer first.", "wrong");
    this.judged = guess;
    this.leaveKeys();
    if (this.field.matches(":focus")) this.field.select(); // the next guess replaces it
    const waiting = setTimeout(() => this.tell("Checking …", ""), WAIT_MS);
    try {
      const { is_right, hint } = await this.check(guess).finally(() => clearTimeout(waiting));
      if (this.asked.asks !== asks) return undefined; // the input has changed meanwhile
      if (is_right) {
        this.onDone();
        this.tell(`Yes: ${this.asked.answer}`, "right");
      } else this.tell(`No. ${hint}`, "wrong");
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error), "wrong");
    }
    return undefined;
  }

  /** @param {string} sentence @param {string} kind */
  tell(sentence, kind) {
    this.said.textContent = sentence;
    this.said.dataset.kind = kind;
    if (sentence) this.onTold();
  }
}
