// Learn: the list of lessons, and one lesson at a time. The address names the lesson and step; steps need no request.

import { button, element } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { browserStore, TabMemory, tabStore } from "../shared/tab_memory.js";
import { Answers } from "./answers.js";
import { actionOf, makeCheck, makeClosing, makeGoto, makeHelp } from "./dialogs.js";
import { FIGURES } from "./figures/table.js";
import { LessonView, notesOf } from "./lesson_view.js";
import { isReadToEnd, makeList, Progress, placeOf, readPlace, stopsOf, describePlace, walk, writePlace } from "./place.js";
import { Polls } from "./polls.js";
import { Speaker } from "./speaker.js";

/** What Python passes to the component; see `ui/learn/lessons.py`. @typedef {import("../shared/wire_types.d.ts").LearnData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").LearnEvent} Said */
/** @typedef {import("./place.js").Place} Place */
/** @typedef {Record<string, any>} Values */

export default component(".learn", (root, signal) => new Learn(root, signal));

class Learn {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    /** @type {Place} */
    this.place = { lesson: null, step: 0, isPresenting: false, way: "all", from: "", asked: "" };
    /** @type {Place | null} the step that was shown last: Esc and → lead back to it from the overview */
    this.left = null;
    this.path = location.pathname;
    this.search = "";
    /** @type {LessonView | null} */
    this.view = null;
    /** @type {TabMemory<Record<string, Values>>} what the class has typed, by lesson */
    this.memory = new TabMemory(tabStore, "tessera.learn.values");
    this.values = this.memory.read();
    /** @type {TabMemory<Record<string, number>>} the guessed option, by lesson */
    this.guessMemory = new TabMemory(tabStore, "tessera.learn.guesses");
    this.guesses = this.guessMemory.read();
    this.polls = new Polls((slug, isRevealed) => this.answers.poll(slug, isRevealed, this.appAddress), () => this.showGuess());
    this.progress = new Progress(browserStore);
    this.speaker = new Speaker((event) => this.pressBeside(event), new TabMemory(tabStore, "tessera.learn.notes"));
    this.speaker.resume();
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    this.answers = new Answers({
      url: () => this.data?.url ?? "",
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      onAnswer: (wanted, answer) => this.take(wanted, answer),
      onProblem: (wanted, sentence) => wanted.slug === this.place.lesson && this.view?.fail(sentence),
    });
    this.content = element("div", "content");
    this.below = element("nav", "line-below");
    this.below.setAttribute("aria-label", "Lesson and step");
    this.help = makeHelp();
    this.goto = makeGoto(
      () => this.lessons,
      (number) => this.open(this.lessons.find((lesson) => lesson.number === number)?.slug ?? null),
    );
    this.check = makeCheck(() => this.start("class", true));
    this.closing = makeClosing();
    this.blank = element("div", "blank");
    this.blank.hidden = true;
    this.blank.addEventListener("click", () => (this.blank.hidden = true));
    root.append(this.content, this.below, this.help, this.goto, this.check.element, this.closing.element, this.blank);
    document.addEventListener("keydown", (event) => this.press(event), { signal, capture: true });
    root.addEventListener("keydown", (event) => this.place.isPresenting && event.stopPropagation(), { signal });
    window.addEventListener("popstate", () => this.follow(), { signal });
    window.addEventListener("pagehide", () => {
      this.memory.write(/** @type {any} */ (this.values));
      this.speaker.end();
    }, { signal });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const isMoved = this.data !== null && this.data.url !== data.url;
    const isFirst = this.data === null;
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    if (isFirst) this.show(readPlace(location.search, this.stops, data.moved));
    else if (location.search !== this.search) this.writeAddress("replaceState"); // Streamlit drops the parameters when it handles Back
    if (isMoved) this.answers.moved();
  }

  destroy() {
    this.memory.write(/** @type {any} */ (this.values));
    this.view?.destroy();
    this.answers.end();
    this.polls.ask(null, false);
    this.speaker.end();
    document.documentElement.toggleAttribute("data-presenting", false);
  }

  /** The app's address with its host, for phones and for the homework. */
  get appAddress() {
    return `${location.origin}${this.data?.app ?? ""}`;
  }

  get lessons() {
    return this.data?.lessons ?? [];
  }

  get stops() {
    return this.lessons.map((lesson) => ({ ...lesson, n_steps: LessonView.nSteps(lesson) }));
  }

  // ---- where one is

  /** Go to a place and update the address; moving to another lesson adds an entry to the history. @param {Place} place */
  go(place) {
    if (place === this.place) return;
    const isStep = place.lesson === this.place.lesson && place.isPresenting === this.place.isPresenting;
    this.place = place;
    this.writeAddress(isStep ? "replaceState" : "pushState");
    this.show(place);
  }

  /** Write the current place into the address. @param {"replaceState" | "pushState"} how */
  writeAddress(how) {
    history[how](history.state, "", location.pathname + writePlace(this.place, location.search));
    this.search = location.search;
  }

  /** @param {string | null} slug null is the list */
  open(slug) {
    this.go(slug === null ? { ...this.place, lesson: null, step: 0, asked: "" } : placeOf(slug, this.place, this.left, this.stops));
  }

  /** Follow Back and Forward within this page. */
  follow() {
    if (location.pathname === this.path) this.show(readPlace(location.search, this.stops, this.data?.moved));
  }

  /** @param {Place} place */
  show(place) {
    const isSame = this.view !== null && place.lesson === this.view.lesson.slug;
    this.place = place;
    this.search = location.search;
    document.documentElement.toggleAttribute("data-presenting", place.isPresenting);
    this.root.classList.toggle("presenting", place.isPresenting);
    const lesson = this.lessons.find((one) => one.slug === place.lesson);
    this.root.toggleAttribute("data-lesson", lesson !== undefined);
    this.root.toggleAttribute("data-step", lesson !== undefined);
    if (!lesson) {
      this.view?.destroy();
      this.view = null;
      this.content.replaceChildren(
        makeList(this.lessons, this.progress, { ...place, left: this.left?.lesson ?? null, app: this.data?.app ?? "" }, {
          open: (slug) => this.open(slug),
          start: (way, isPresenting) => {
            if (!isPresenting) return this.start(way, false);
            void this.check.show(() => this.answers.poll("", false, this.appAddress));
          },
          resetAll: () => this.resetAll(),
          leave: () => this.go({ ...place, isPresenting: false }),
        }),
      );
      this.below.hidden = true;
      this.polls.ask(null, false);
      if (!place.isPresenting) void this.showWay(/** @type {HTMLElement} */ (this.content.querySelector(".whole-way")));
      return;
    }
    this.root.dataset.lesson = lesson.slug;
    this.root.dataset.step = String(place.step);
    if (!isSame) this.openLesson(lesson);
    else if (lesson.sets.some((set) => Object.keys(set).length)) {
      this.view?.fields.show(this.valuesOf(lesson.slug));
      this.ask(lesson.slug);
    }
    if (!isSame && this.left && !place.isPresenting) this.root.scrollIntoView({ block: "start" });
    const notice = place.asked && `There is no step “${place.asked.slice(0, 20)}”; this is step ${place.step}.`;
    this.view?.show(place.step, place.isPresenting, notice);
    const isRevealed = place.step >= lesson.told_at;
    this.polls.ask(place.isPresenting && (place.step === 0 || isRevealed) ? lesson.slug : null, isRevealed);
    this.showGuess();
    this.drawBelow(lesson);
    if (isReadToEnd(this.left, place, LessonView.nSteps(lesson))) this.progress.mark(lesson.slug, "read");
    this.left = place;
    this.showNotes(lesson);
  }

  /** @param {Data["lessons"][number]} lesson */
  openLesson(lesson) {
    this.view?.destroy();
    const values = this.valuesOf(lesson.slug);
    this.view = new LessonView(lesson, values, {
      onChange: (changed) => this.change(lesson.slug, changed),
      onReset: () => this.reset(lesson.slug),
      onDone: () => this.progress.mark(lesson.slug, "answered"),
      onGuess: (option) => this.choose(lesson.slug, option),
      onPoll: () => this.polls.open(lesson.slug),
      open: (slug) => {
        if (!lesson.has_question) this.progress.mark(lesson.slug, "answered"); // its task is to open a card
        this.open(slug);
      },
      has: (slug) => this.lessons.some((one) => one.slug === slug),
      check: (guess) => this.answers.check({ slug: lesson.slug, values: this.valuesOf(lesson.slug) }, guess),
      code: () => this.answers.code(lesson.slug),
      notebook: () => this.answers.notebook({ slug: lesson.slug, values: this.valuesOf(lesson.slug) }),
      app: this.data?.app ?? "",
    });
    this.content.replaceChildren(this.view.element);
    this.ask(lesson.slug);
    const next = walk({ ...this.place, step: LessonView.nSteps(lesson) }, 1, this.stops).lesson;
    const after = this.lessons.find((one) => one.slug === next);
    if (after && after !== lesson) {
      void this.answers.prepare({ slug: after.slug, values: this.valuesOf(after.slug) });
      void FIGURES[after.figure]?.();
    }
  }

  // ---- what the class types

  /**
   * A lesson's inputs at a step: its examples, those that the steps set, and what was typed.
   * @param {string} slug @param {number} [step] the step that is shown, if it is this lesson's @returns {Values}
   */
  valuesOf(slug, step = slug === this.place.lesson ? this.place.step : 0) {
    const lesson = this.lessons.find((one) => one.slug === slug);
    const examples = Object.fromEntries((lesson?.inputs ?? []).map((input) => [input.name, input.example]));
    return Object.assign(examples, ...(lesson?.sets ?? []).slice(0, step + 1), this.values[slug]);
  }

  /** @param {string} slug @param {Values} changed */
  change(slug, changed) {
    this.values[slug] = { ...this.values[slug], ...changed };
    this.view?.fields.show(this.valuesOf(slug));
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.memory.write(/** @type {any} */ (this.values)), 400);
    this.ask(slug);
  }

  /** @param {string} slug */
  reset(slug) {
    delete this.values[slug];
    this.change(slug, {});
  }

  /** Restore the examples of all lessons, and forget all guesses and votes. */
  freshExamples() {
    this.values = {};
    this.memory.forget();
    this.guesses = {};
    this.guessMemory.forget();
    this.polls.forget();
  }

  /** Forget everything that this browser keeps of the lessons. */
  resetAll() {
    this.freshExamples();
    this.progress.forget();
    this.left = null;
  }

  /** @param {Place["way"]} way @param {boolean} isPresenting */
  start(way, isPresenting) {
    if (isPresenting) this.freshExamples();
    this.go(walk({ ...this.place, lesson: null, way, isPresenting }, 1, this.stops));
  }

  /** Draw the whole way from text to numbers and back, in the class's own text. @param {HTMLElement} root */
  async showWay(root) {
    const slug = "journey", wanted = { slug, values: this.valuesOf(slug, 0) };
    const [{ default: mount }] = await Promise.all([FIGURES.journey(), this.answers.prepare(wanted)]);
    const answer = this.answers.known(wanted), ending = new AbortController();
    if (!answer || !root.isConnected) return;
    root.classList.add("figure", "figure-journey");
    const figure = mount(root, { change: () => {}, open: (to) => this.open(to), has: () => true, isPresenting: () => this.place.isPresenting, signal: ending.signal });
    figure.show(5, answer.figure);
    const gone = new MutationObserver(() => root.isConnected || (ending.abort(), gone.disconnect()));
    gone.observe(this.content, { childList: true });
  }

  /** The end of the class: what was learned, the whole way once more, and the homework. */
  close() {
    const root = this.closing.show(this.lessons.filter((lesson) => lesson.in_class).map(({ claim }) => claim), `${this.appAddress}/build`);
    void this.showWay(root);
  }

  /** Note a guess; alone, go on to the figure that answers it. @param {string} slug @param {number} option */
  choose(slug, option) {
    this.guesses = { ...this.guesses, [slug]: option };
    this.guessMemory.write(/** @type {Record<string, number>} */ (this.guesses));
    if (this.place.isPresenting) this.showGuess();
    else this.step(walk(this.place, 1, this.stops));
  }

  showGuess() {
    const slug = this.view?.lesson.slug;
    if (slug) this.view?.showGuess(this.guesses[slug], this.polls.of(slug), this.polls.isSpread);
  }

  /** @param {string} slug */
  ask(slug) {
    const wanted = { slug, values: this.valuesOf(slug) }, known = this.answers.known(wanted);
    if (!known) return this.answers.ask(wanted);
    this.answers.shows(wanted);
    this.view?.take(known);
    this.prepareNext(slug);
  }

  /** Request what the next step sets, so that a press shows it at once. @param {string} slug */
  prepareNext(slug) {
    if (slug === this.place.lesson) void this.answers.prepare({ slug, values: this.valuesOf(slug, this.place.step + 1) });
  }

  /** @param {import("./answers.js").Wanted} wanted @param {import("./answers.js").Answer} answer */
  take(wanted, answer) {
    if (this.view?.lesson.slug === wanted.slug) {
      this.view.take(answer);
      this.showNotes(this.view.lesson); // the notes include the question
      this.prepareNext(wanted.slug);
    }
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  // ---- keys

  /** @param {KeyboardEvent} event */
  press(event) {
    if (!this.blank.hidden && !event.repeat) {
      this.blank.hidden = true;
      return void event.preventDefault();
    }
    if (this.help.open && event.key === "?") return this.help.close();
    if (this.closing.element.open && ["PageUp", "ArrowLeft", "p"].includes(event.key)) return this.closing.element.close();
    if (this.help.open || this.goto.open || this.check.element.open || this.closing.element.open) return;
    const target = /** @type {HTMLElement | null} */ (event.composedPath()[0] instanceof Element ? event.composedPath()[0] : null);
    const isInField = target?.matches("input, textarea, select") ?? false;
    const action = actionOf(event, target, this.place.isPresenting);
    const isOnPage = this.place.lesson === null && !this.place.isPresenting; // other keys scroll the list
    if (!action || (isOnPage && action !== "help" && event.key !== "ArrowRight")) {
      const isOurs = event.composedPath().includes(this.root); // a figure can have keys of its own
      if (this.place.isPresenting && !isInField && !isOurs) event.stopPropagation(); // Streamlit has keys of its own
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    switch (action) {
      case "next": return this.next();
      case "back": return this.step(walk(this.place, -1, this.stops));
      case "escape": return this.escape(isInField ? target : null);
      case "blank": return void (this.blank.hidden = false);
      case "full": return void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen().catch(() => {}));
      case "goto": return this.goto.showModal();
      case "help": return this.help.showModal();
      case "reset": return this.place.lesson === null ? undefined : this.reset(this.place.lesson);
      case "answer": return this.view?.reveal();
      case "light": return this.view?.lightNext();
      case "poll": return this.openPoll();
      case "speaker": return this.speak();
    }
  }

  next() {
    const place = this.place.lesson === null ? this.onFromList() : walk(this.place, 1, this.stops);
    if (place === this.place && place.isPresenting && place.lesson !== null) this.close();
    else this.step(place);
  }

  /** Go to a place by a key, which may also focus the question's field. @param {Place} place */
  step(place) {
    this.go(place);
    this.view?.comeByKey();
  }

  /** Handle a key in the notes' window, except those that open a dialog in the other window. @param {KeyboardEvent} event */
  pressBeside(event) {
    const action = actionOf(event, null, true);
    if (action && !["full", "goto", "help", "speaker"].includes(action)) this.press(event);
  }

  /** Leave the field, else close a definition, else turn off the spotlight, else go to the list, else return to the step. @param {HTMLElement | null} field */
  escape(field) {
    const definition = /** @type {HTMLElement | null} */ (this.root.querySelector(".meaning:popover-open"));
    if (field) field.blur();
    else if (definition) definition.hidePopover();
    else if (this.view?.spotlight.isOn) this.view.spotlight.light(null);
    else if (this.place.lesson === null) this.go(this.back() ?? this.place);
    else this.open(null);
  }

  /** The step from which the list was opened. */
  back() {
    return this.left && { ...this.left, isPresenting: this.place.isPresenting };
  }

  /** The place to which → leads from the list: back to the step, else to the first lesson for a class. */
  onFromList() {
    const start = this.place.isPresenting ? this.place : /** @type {const} */ ({ ...this.place, way: "class", isPresenting: true });
    return this.back() ?? walk(start, 1, this.stops);
  }

  /** Let phones vote on the question that the class sees. */
  openPoll() {
    const { lesson, step, isPresenting } = this.place;
    if (lesson && isPresenting && step === 0) this.polls.open(lesson);
    else this.view?.tell("Phones vote on a lesson's first question, while you present.");
  }

  speak() {
    const lesson = this.view?.lesson;
    if (!lesson) return;
    if (this.speaker.open()) this.showNotes(lesson);
    else this.view?.tell("The browser blocked the second window. Allow pop-ups for this page, and press S again.");
  }

  /** @param {Data["lessons"][number]} lesson */
  showNotes(lesson) {
    const { step } = this.place, next = walk(this.place, 1, this.stops);
    const nextLesson = this.lessons.find((one) => one.slug === next.lesson);
    const { asks, answer } = this.view?.answer ?? { asks: "", answer: "" }, question = asks || "the question";
    const { guess } = lesson, nSteps = lesson.steps.length;
    const said = (/** @type {number} */ at) => (at === 0 ? guess.asks : (lesson.steps[at - 1] ?? question));
    const coming = next === this.place ? "the end" : nextLesson === lesson ? said(next.step) : `${nextLesson?.number} · ${nextLesson?.title}`;
    /** @type {[string, string][]} */
    const answered = step === 0 ? [["Answer", guess.options[guess.right]]] : asks && step > nSteps ? [["Answer", answer]] : [];
    const [say, ask, expect] = notesOf(lesson);
    /** @type {[string, string]} */
    const invites = ["Try", lesson.try_this];
    /** @type {[string, string][]} each note at the step where it is needed */
    const notes = step === 0 ? [["Ask", `Let everybody guess before you go on: hands, or phones (${lesson.minutes} min for this lesson).`]] : [
      ...(step === 1 ? [say] : []),
      invites,
      ...(step >= nSteps ? [ask, expect] : []),
    ];
    this.speaker.show(this.root, {
      title: `${lesson.number} · ${lesson.title}`,
      where: describePlace(this.place, this.stops) + ` · ${lesson.minutes} min${lesson.time && ` · ${lesson.time} in the lecture`}`,
      seen: [["Now", said(step)], ...answered, ["Next", coming]],
      said: notes,
    });
  }

  // ---- the line below

  /** @param {Data["lessons"][number]} lesson */
  drawBelow(lesson) {
    const { place } = this, way = stopsOf(this.stops, place.way), at = way.findIndex((stop) => stop.slug === lesson.slug);
    this.below.hidden = false;
    const isLast = walk(place, 1, this.stops) === place;
    const bar = element("span", "bar");
    bar.style.width = `${(100 * (at + (place.step + 1) / (LessonView.nSteps(lesson) + 1))) / way.length}%`;
    const where = element("span", "where", `${describePlace(place, this.stops)} · ${lesson.title}${isLast ? " · end" : ""}`);
    where.title = lesson.time ? `${lesson.time} in the lecture` : "Not in the lecture";
    const back = button("‹", "Previous step (←)", () => this.go(walk(this.place, -1, this.stops)));
    const next = button("›", "Next step (→)", () => this.next());
    const parts = [bar, where, back, next], keys = button("?", "Keys", () => this.help.showModal());
    if (place.isPresenting) parts.push(keys, button("×", "Stop presenting", () => this.go({ ...this.place, isPresenting: false })));
    else {
      parts.push(
        button("Present", "Fill the screen, for a presentation to a class", () => this.go({ ...this.place, isPresenting: true })),
        button("All lessons", "All lessons and the glossary (Esc)", () => this.open(null)),
        keys,
      );
    }
    const focused = /** @type {ShadowRoot | Document} */ (this.root.getRootNode()).activeElement?.getAttribute("title");
    this.below.replaceChildren(...parts);
    if (focused) /** @type {HTMLElement | undefined} */ (parts.find((part) => part.title === focused))?.focus();
  }
}
