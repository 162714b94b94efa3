// A lesson on the screen: claim, inputs, the stage with its figure and spotlight, steps, question, notes and code.

import { addressOf } from "../shared/address.js";
import { button, element } from "../shared/element.js";
import { withTerms } from "../shared/glossary.js";
import { copyText, saveFile } from "../shared/save.js";
import { Fields } from "./fields.js";
import { FIGURES } from "./figures/table.js";
import { GuessView, verdictOf } from "./guess.js";
import { hideAnswer } from "./hidden_answer.js";

/** @typedef {import("../shared/wire_types.d.ts").LessonData} Lesson */
/** @typedef {import("../shared/wire_types.d.ts").ShownLesson} Answer */
/** @typedef {import("./figures/table.js").Figure} Figure */

/**
 * @typedef {{onChange: (values: Record<string, any>) => void, onReset: () => void, onDone: () => void,
 *   onGuess: (option: number) => void, onPoll: () => void, open: (slug: string) => void, has: (slug: string) => boolean, check: (guess: string) => Promise<{is_right: boolean, hint: string}>,
 *   code: () => Promise<{code: string}>, notebook: () => Promise<{name: string, text: string}>, app: string}} Callbacks
 */

/** The notebooks of Build's steps, by the lesson that explains the step. @type {Record<string, string>} */
const BUILT_BY = {
  "count-and-merge": "02-merge",
  loop: "03-train",
  "back-to-text": "04-decode",
  "lowest-rank": "05-encode",
  cuts: "06-split",
  "special-tokens": "07-special-tokens",
  journey: "08-gpt2-files",
  "build-gpt4": "09-equals-tiktoken",
};

/** Links to the step of Build for a lesson, and to its notebook; none for other lessons. @param {string} slug @param {string} app */
function makeBuildLinks(slug, app) {
  const notebook = BUILT_BY[slug];
  if (!notebook) return [];
  const made = element("p", "links"), page = element("a", "", "Build"), file = element("a", "", "as a notebook");
  page.href = `${app}/build?step=${notebook.slice(3).replaceAll("-", "_")}`;
  page.target = "_blank";
  page.rel = "noopener";
  file.href = `${app}/notebooks/build/${notebook}.ipynb`;
  file.download = `${notebook}.ipynb`;
  made.append("Write it yourself in ", page, " or ", file);
  return [made];
}

export class LessonView {
  /** @param {Lesson} lesson @param {Record<string, any>} values @param {Callbacks} callbacks */
  constructor(lesson, values, callbacks) {
    this.lesson = lesson;
    this.callbacks = callbacks;
    this.step = 1;
    this.isShown = this.isPresenting = false;
    /** @type {Answer | null} */
    this.answer = null;
    /** The figure's data as JSON, so that an unchanged figure is not drawn again. */
    this.drawn = "";
    /** A message about the address, shown until the next step. */
    this.notice = "";
    /** @type {Figure | null} */
    this.figure = null;
    this.ending = new AbortController();
    this.fields = new Fields(/** @type {any} */ (lesson.inputs), { onChange: callbacks.onChange, onReset: callbacks.onReset });
    this.fields.show(values);
    this.guess = new GuessView(lesson.guess, { onChoose: callbacks.onGuess, onPoll: callbacks.onPoll });
    /** Shows again what the question's step hides. */
    this.unhide = () => {};
    const invites = element("p", "try");
    invites.append(element("b", "", "Try: "), lesson.try_this);
    this.fields.element.prepend(invites);
    this.stage = element("div", "stage");
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "group");
    this.stage.setAttribute("aria-label", `Figure: ${lesson.title}`);
    this.stage.setAttribute("aria-busy", "true");
    this.figureRoot = element("div", `figure figure-${lesson.figure}`);
    this.stage.append(this.figureRoot);
    this.spotlight = new Spotlight(this.stage, this.ending.signal);
    this.says = element("p", "says");
    this.says.setAttribute("aria-live", "polite");
    this.needs = element("p", "needs");
    this.needs.setAttribute("role", "status");
    this.question = new Question({
      check: callbacks.check,
      onDone: callbacks.onDone,
      onMessage: (isAnswered) => {
        if (isAnswered) this.unhide();
        this.showWords();
      },
    });
    this.words = element("div", "words");
    this.verdict = element("p", "verdict");
    this.words.append(this.verdict, this.spotlight.large, this.says, this.question.element);
    this.links = element("p", "links");
    const more = element("div", "more");
    const save = button("Save as a notebook", "This lesson with its present input, for Jupyter and VS Code (.ipynb)", () => void this.saveNotebook());
    const away = element("div", "away");
    away.append(this.links, save, ...makeBuildLinks(lesson.slug, callbacks.app));
    more.append(this.makeCode(), away);
    this.element = element("article", "lesson");
    const head = element("header");
    this.claim = element("h2", "", lesson.claim);
    head.append(this.claim, this.needs);
    this.element.append(head, this.fields.element, this.guess.element, this.stage, this.words, more);
    this.resizing = new ResizeObserver(() => this.spotlight.keep(() => this.draw()));
    this.resizing.observe(this.stage);
    void this.mount();
  }

  /** The number of steps, including the question. @param {Lesson} lesson */
  static nSteps = (lesson) => lesson.steps.length + (lesson.has_question ? 1 : 0);

  async mount() {
    const { default: mount } = await FIGURES[this.lesson.figure]();
    if (this.ending.signal.aborted) return;
    this.figure = mount(this.figureRoot, {
      change: (values) => this.callbacks.onChange(values),
      open: (slug) => this.callbacks.open(slug),
      has: (slug) => this.callbacks.has(slug),
      isPresenting: () => this.isPresenting,
      signal: this.ending.signal,
    });
    this.draw();
  }

  /** Show a step. @param {number} step @param {boolean} isPresenting @param {string} notice a message about the address */
  show(step, isPresenting, notice) {
    this.notice = notice;
    this.tell(this.lacking);
    const isMoved = this.isShown && step !== this.step, isFirst = !this.isShown;
    this.isShown = true;
    this.step = step;
    this.isPresenting = isPresenting;
    this.claim.role = "heading";
    this.claim.ariaLevel = isPresenting ? "1" : "2"; // while presenting, the page's own heading is hidden
    const isAsking = step > this.lesson.steps.length;
    this.element.classList.toggle("asking", isAsking);
    this.element.classList.toggle("guessing", step === 0);
    this.claim.textContent = this.isRevealed ? this.lesson.claim : this.lesson.guess.asks;
    this.says.replaceChildren(...(isAsking || step === 0 ? [] : withTerms(this.lesson.steps[step - 1], new Set())));
    this.spotlight.light(null);
    this.draw();
    if (isMoved) this.showWords();
    if (isFirst && isAsking) this.comeByKey();
  }

  /** Whether the claim and the answer to the first question are shown. */
  get isRevealed() {
    return this.step >= this.lesson.told_at;
  }

  /** Show what was guessed. @param {number | undefined} chosen @param {import("./guess.js").Poll | null} poll @param {boolean} isSpread */
  showGuess(chosen, poll, isSpread) {
    this.guess.show(chosen, poll, isSpread);
    this.verdict.textContent = this.step === this.lesson.told_at ? verdictOf(this.lesson.guess, chosen, poll?.votes ?? []) : "";
  }

  /** After a step by key: focus the answer field of a question. */
  comeByKey() {
    if (this.isPresenting) this.question.focus(this.element.classList.contains("asking"));
  }

  /** The message about the address, or the lesson's advice on the input. */
  get lacking() {
    return this.notice || (this.stage.classList.contains("stale") ? "" : (this.answer?.needs ?? ""));
  }

  /** Scroll the step's sentence or question into view; in large type it can be below the edge. */
  showWords() {
    if (!this.isPresenting) this.words.scrollIntoView({ block: "nearest" });
  }

  /** Show the server's answer for an input. @param {Answer} answer */
  take(answer) {
    const figure = JSON.stringify(answer.figure), isSame = figure === this.drawn;
    this.answer = answer;
    this.drawn = figure;
    this.stage.classList.remove("stale");
    this.fields.refuse("");
    this.question.show(answer);
    this.unhide();
    this.tell(this.lacking);
    this.link(answer.links);
    if (isSame && this.figure) this.stage.setAttribute("aria-busy", "false");
    else this.draw();
  }

  /** Link to the pages that open with this input; typing changes only the addresses. @param {Answer["links"]} links */
  link(links) {
    const titles = links.map(({ title }) => title).join(), { app } = this.callbacks;
    if (titles !== this.links.dataset.titles) {
      this.links.dataset.titles = titles;
      this.links.replaceChildren(...(links.length ? ["Open in "] : []), ...links.map(({ title }) => element("a", "", title)));
    }
    for (const [n, link] of this.links.querySelectorAll("a").entries()) {
      void addressOf(links[n].page, links[n].state).then((address) => (link.href = `${app}/${address}`));
      link.target = "_blank"; // the lesson stays open
      link.rel = "noopener";
    }
  }

  /** Show a message above the figure. @param {string} sentence */
  tell(sentence) {
    if (this.needs.textContent !== sentence) this.needs.textContent = sentence;
  }

  /** Show why the input has no figure; the previous figure stays, dimmed. @param {string} sentence */
  fail(sentence) {
    this.fields.refuse(sentence);
    this.stage.classList.add("stale");
    this.tell(this.lacking);
    this.stage.setAttribute("aria-busy", "false");
  }

  /** Show the answer if its question is visible. For a class, the question is the last step, and the key doesn't give the answer away before. */
  reveal() {
    const n = LessonView.nSteps(this.lesson);
    if (this.step === 0) this.tell(`Step ${this.lesson.told_at} shows the answer.`);
    else if (!this.lesson.has_question) this.tell("This lesson has no question.");
    else if (this.isPresenting && this.step < n) this.tell(`The question is step ${n}: A shows its answer there.`);
    else this.question.reveal();
  }

  /** Highlight the next token. */
  lightNext() {
    this.tell(this.spotlight.next() ? this.lacking : "This step has no token to highlight.");
  }

  draw() {
    if (!this.figure || !this.answer) return;
    this.spotlight.light(null);
    this.unhide();
    const isAsking = this.step > this.lesson.steps.length;
    if (this.step) this.figure.show(isAsking ? this.lesson.asked_at : this.step, this.answer.figure);
    if (isAsking && !this.question.isAnswered) this.unhide = hideAnswer(this.figureRoot, this.answer.answer);
    this.stage.setAttribute("aria-busy", "false");
  }

  destroy() {
    this.ending.abort();
    this.resizing.disconnect();
    this.figure?.destroy?.();
  }

  async saveNotebook() {
    try {
      const { name, text } = await this.callbacks.notebook();
      saveFile(new Blob([text], { type: "application/x-ipynb+json" }), name);
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error));
    }
  }

  makeCode() {
    const details = element("details", "code fold"), box = element("pre"), text = element("code");
    details.append(element("summary", "", "The code that does it"));
    box.tabIndex = 0;
    box.append(text);
    const copy = button("Copy", "Copy the code", () => void copyText(text.textContent ?? "").then(() => (copy.textContent = "Copied")));
    details.append(copy, box);
    details.addEventListener("toggle", async () => {
      if (details.open && !text.textContent) text.textContent = (await this.callbacks.code()).code;
    });
    return details;
  }
}

/** What a teacher says, asks and expects. @param {Lesson} lesson @returns {[string, string][]} */
export const notesOf = (lesson) => [["Say", lesson.say], ["Ask", lesson.ask], ["Expect", lesson.expect]];

/** Milliseconds after which "Checking …" appears. */
const WAIT_MS = 300;

/** The question, its answer, and the kind of character that an answer may begin with. @typedef {Pick<import("../shared/wire_types.d.ts").ShownLesson, "asks" | "answer" | "begins_with">} Asked */

/** The keys that the empty answer field passes on to the lesson, by the kind of character that an answer begins with. @type {Record<Asked["begins_with"], string>} */
const LEFT = { digit: "arrows space letters", letter: "arrows space", space: "arrows" };

/** The question about the current input. It checks guesses on the server and can show the answer. */
class Question {
  /** @param {{check: (guess: string) => Promise<{is_right: boolean, hint: string}>, onDone: () => void, onMessage: (isAnswered: boolean) => void}} how */
  constructor({ check, onDone, onMessage }) {
    this.check = check;
    this.onDone = onDone;
    this.onMessage = onMessage;
    /** @type {Asked} */
    this.asked = { asks: "", answer: "", begins_with: "letter" };
    /** The guess that the current reply is about. */
    this.judged = "";
    /** Whether the field gets the focus as soon as a question arrives. */
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
    this.element.hidden = true;
    this.element.setAttribute("aria-label", "Question");
    this.element.append(this.asks, form, this.said);
  }

  /** Show a question; a new question removes the previous reply. @param {Asked} asked */
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

  /** Whether the answer is shown. */
  get isAnswered() {
    return ["right", "answer"].includes(this.said.dataset.kind ?? "");
  }

  /** Focus the answer field, or leave it. @param {boolean} isWanted */
  focus(isWanted) {
    this.isAwaited = isWanted && !this.asked.asks;
    if (isWanted) this.field.focus({ preventScroll: true });
    else this.field.blur();
  }

  clear() {
    this.field.value = this.judged = "";
    this.leaveKeys();
  }

  /** Pass some keys on to the lesson while no new answer is typed. */
  leaveKeys() {
    this.field.dataset.leaves = this.field.value === this.judged ? LEFT[this.asked.begins_with] : "";
  }

  /** Show the answer instead of the guess. */
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
    if (this.field.matches(":focus")) this.field.select(); // so that typing replaces the guess
    const waiting = setTimeout(() => this.tell("Checking …", ""), WAIT_MS);
    try {
      const { is_right, hint } = await this.check(guess).finally(() => clearTimeout(waiting));
      if (this.asked.asks !== asks) return undefined; // the input has changed since
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
    if (sentence) this.onMessage(this.isAnswered);
  }
}

/** Elements that the spotlight can highlight; `data-spot` is the text shown in large type. */
const LIT = "[data-spot]";

/** The spotlight: dims everything but one token, and shows its details in large type. */
class Spotlight {
  /** @param {HTMLElement} stage @param {AbortSignal} signal */
  constructor(stage, signal) {
    this.stage = stage;
    this.large = element("p", "large-spot");
    this.large.hidden = true;
    this.large.setAttribute("aria-live", "polite");
    /** @type {HTMLElement | null} */
    this.lit = null;
    stage.addEventListener("click", (event) => {
      const token = /** @type {Element} */ (event.target).closest(LIT);
      this.light(token instanceof HTMLElement && token !== this.lit ? token : null);
    }, { signal });
  }

  get isOn() {
    return this.lit !== null;
  }

  /** Highlight one element; null turns the spotlight off. @param {HTMLElement | null} token */
  light(token) {
    this.lit?.classList.remove("spot");
    this.lit = token;
    token?.classList.add("spot");
    this.stage.classList.toggle("dimmed", token !== null);
    this.large.hidden = token === null;
    this.large.textContent = token?.dataset.spot ?? "";
  }

  /** The visible elements that can be highlighted. */
  get all() {
    return /** @type {HTMLElement[]} */ ([...this.stage.querySelectorAll(LIT)]).filter((one) => one.checkVisibility());
  }

  /** Highlight the next element, or the first; return whether there is any. */
  next() {
    const { all } = this;
    this.light(all[this.lit ? all.indexOf(this.lit) + 1 : 0] ?? null);
    return all.length > 0;
  }

  /** Redraw the figure, and highlight the element at the same position again. @param {() => void} draw */
  keep(draw) {
    const at = this.lit ? this.all.indexOf(this.lit) : -1;
    draw();
    if (at >= 0) this.light(this.all[at] ?? null);
  }
}
