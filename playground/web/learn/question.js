// Question: it is asked about the class's present input, an answer is checked at once, and A shows it.

import { button, element } from "../shared/element.js";

/** A check that takes longer is told. */
const WAIT_MS = 300;

export class Question {
  /** @param {{check: (guess: string) => Promise<{is_right: boolean, hint: string}>, onDone: () => void, onTold: () => void}} how */
  constructor({ check, onDone, onTold }) {
    this.check = check;
    this.onDone = onDone;
    this.onTold = onTold;
    this.asked = "";
    this.answer = "";
    this.asks = element("p", "asks");
    this.field = element("input");
    this.field.type = "text";
    this.field.autocomplete = "off";
    this.field.setAttribute("aria-label", "Your answer");
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

  /** Ask; what was said of an earlier question goes. @param {string} asks @param {string} answer */
  show(asks, answer) {
    this.element.hidden = !asks;
    if (this.asked === asks && this.answer === answer) return;
    this.asked = asks;
    this.answer = answer;
    this.asks.textContent = asks;
    this.field.value = "";
    this.tell("", "");
  }

  /** Show the answer; a wrong guess does not stay beside it. */
  reveal() {
    if (!this.asked) return;
    this.field.value = "";
    this.tell(this.answer, "answer");
  }

  async judge() {
    const guess = this.field.value, asked = this.asked;
    if (!guess.trim()) return this.tell("Type an answer first.", "wrong");
    const waiting = setTimeout(() => this.tell("Checking …", ""), WAIT_MS);
    try {
      const { is_right, hint } = await this.check(guess).finally(() => clearTimeout(waiting));
      if (this.asked !== asked) return undefined; // the input has changed meanwhile
      if (is_right) {
        this.onDone();
        this.tell(`Yes: ${this.answer}`, "right");
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
