// Build: a student writes the functions of a tokenizer, and the browser's Python runs them. The code and the progress
// are kept in this browser.

import { button, element } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { saveFile } from "../shared/save.js";
import { browserStore, TabMemory, unkeptNote } from "../shared/tab_memory.js";
import { onceFree, post } from "../shared/wire.js";
import { count, counted } from "../shared/wording.js";
import { certificateText, isPassed, makeCertificate, milestonesOf } from "./certificate.js";
import { CodeField } from "./code_field.js";
import { drawFigure } from "./figure.js";
import { compared, exportCode, newestWork, nextStep, readWork, requestOf, standIns } from "./progress.js";
import { LIMIT_MS, Python, StoppedError } from "./python.js";

/** What Python passes to the component; see `ui/build/workbench.py`. @typedef {import("../shared/wire_types.d.ts").BuildData} Data */
/** @typedef {import("../shared/wire_types.d.ts").StepData} Step */
/** @typedef {import("./python.js").Result} Result */
/** @typedef {import("./python.js").TestResult} TestResult */
/** A result, compared with the values of the fresh cases. @typedef {Result & {fresh: import("./progress.js").Compared, hint: string}} Ran */

const MAX_TEXT_CHARS = 2_000;
/** The view that is not a step. */
const CERTIFICATE = "certificate";

export default component(".build", (root, signal) => new Build(root, signal));

class Build {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    /** @type {TabMemory<import("./progress.js").Work>} */
    this.memory = new TabMemory(browserStore, "tessera.build");
    this.work = readWork(this.memory.read());
    this.place = "";
    this.path = location.pathname;
    this.hidesSolutions = false;
    /** The number of the newest run, so that the result of an older one is not drawn. */
    this.nRuns = 0;
    this.python = new Python((name) => `${this.data?.python}/${name}`, (state) => this.showState(state));

    this.rail = element("nav", "rail");
    this.rail.setAttribute("aria-label", "Steps");
    this.field = new CodeField({ onChange: () => this.keepCode(), onRun: () => void this.run() });
    this.main = element("div", "main");
    root.append(this.rail, this.main);
    // The same step in two tabs shows the same code: what is typed in one appears in the other.
    window.addEventListener("storage", ({ key }) => key === this.memory.key && this.followOtherTab(), { signal });
    window.addEventListener("popstate", () => location.pathname === this.path && this.show(this.readPlace(), false), { signal });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data>} given */
  update({ data }) {
    const isFirst = this.data === null;
    this.data = data;
    if (isFirst) {
      this.readSolutions();
      this.show(this.readPlace(), false);
    }
    else this.writePlace("replaceState"); // Streamlit drops the parameter when it runs the page
  }

  destroy() {
    this.python.drop();
    clearInterval(this.clock);
  }

  // ---- the place: a step, or the certificate

  get steps() {
    return this.data?.steps ?? [];
  }

  get step() {
    return this.steps.find(({ slug }) => slug === this.place) ?? this.steps[0];
  }

  /** Whether solutions are hidden in this browser; a link of the instructor's says so once. */
  readSolutions() {
    /** @type {TabMemory<{hides: boolean}>} */
    const memory = new TabMemory(browserStore, "tessera.build.solutions"), asked = new URLSearchParams(location.search).get("solutions");
    this.hidesSolutions = asked ? asked === "hidden" : memory.read().hides === true;
    if (asked) memory.write({ hides: this.hidesSolutions });
  }

  /** The place in the address, or the first step that has not passed. */
  readPlace() {
    const named = new URLSearchParams(location.search).get("step") ?? "";
    return named === CERTIFICATE || this.steps.some(({ slug }) => slug === named) ? named : nextStep(this.steps, this.work);
  }

  /** @param {"pushState" | "replaceState"} how */
  writePlace(how) {
    const query = new URLSearchParams(location.search);
    if (query.get("step") === this.place || location.pathname !== this.path) return;
    query.set("step", this.place);
    history[how](history.state, "", `?${query}${location.hash}`);
  }

  /** @param {string} place @param {boolean} [isMove] whether Back leads to the place before */
  show(place, isMove = true) {
    this.python.stop();
    this.nRuns++;
    this.main.classList.remove("running");
    this.place = place;
    this.writePlace(isMove ? "pushState" : "replaceState");
    this.drawRail();
    if (place === CERTIFICATE) void this.showCertificate();
    else this.drawStep();
    if (isMove) this.main.querySelector("h2")?.scrollIntoView({ block: "nearest" });
  }

  drawRail() {
    const list = element("ol");
    const firsts = new Map((this.data?.milestones ?? []).map(({ title, steps }, i) => [steps[0], { name: `Milestone ${i + 1}`, title, steps }]));
    for (const { slug, title } of this.steps) {
      const item = element("li"), isDone = slug in this.work.passed, milestone = firsts.get(slug);
      if (milestone) {
        const isReached = milestone.steps.every((each) => each in this.work.passed);
        const head = element("p", isReached ? "milestone reached" : "milestone", isReached ? `${milestone.name} ✓` : milestone.name);
        head.title = milestone.title;
        item.append(head);
      }
      const opener = button(title, isDone ? `${title}: done` : title, () => this.show(slug));
      opener.classList.add("quiet");
      if (isDone) {
        item.classList.add("done");
        opener.append(element("span", "unseen", " (done)"));
      }
      if (slug === this.place) opener.setAttribute("aria-current", "step");
      item.append(opener);
      list.append(item);
    }
    const n = this.steps.filter(({ slug }) => slug in this.work.passed).length;
    const certificate = button("Certificate", "What your tokenizer gets right, by running it", () => this.show(CERTIFICATE));
    if (this.place === CERTIFICATE) certificate.setAttribute("aria-current", "step");
    const save = button("Save tokenizer.py", "All steps that you have passed, as one Python file that runs", () =>
      saveFile(new Blob([exportCode(this.steps, this.work, this.hidesSolutions)], { type: "text/x-python" }), "tokenizer.py"));
    save.disabled = n === 0;
    const below = element("div", "below");
    below.append(element("p", "soft", `${n} of ${counted(this.steps.length, "step")} done`), certificate, save, this.makeInstructorFold());
    this.rail.replaceChildren(list, below);
    const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
    if (current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2; // the list is one row on a phone
  }

  /** A link for a class, which hides solutions in the browser that opens it. */
  makeInstructorFold() {
    const made = element("details", "fold"), field = element("input");
    made.append(element("summary", "", "For the instructor"));
    field.readOnly = true;
    field.value = `${location.origin}${location.pathname}?solutions=${this.hidesSolutions ? "shown" : "hidden"}`;
    field.setAttribute("aria-label", `A link that ${this.hidesSolutions ? "shows" : "hides"} solutions`);
    field.addEventListener("focus", () => field.select());
    const how = this.hidesSolutions ? "Solutions are hidden in this browser. This link shows them again:" : "This link hides our solutions and notebooks in the browser that opens it:";
    const check = element("p", "soft");
    check.append("Students hand in certificate.txt. ", element("code", "", "tessera verify *.txt"), " runs the code of each again, on fresh examples.");
    made.append(element("p", "soft", how), field, check);
    return made;
  }

  // ---- a step

  drawStep() {
    const { step } = this, number = this.steps.indexOf(step) + 1;
    const head = element("h2", "", `${number} · ${step.title}`);
    const task = element("div", "task");
    task.append(...step.task.map(paragraph));
    const missing = standIns(this.steps, step, this.work);
    if (missing.length) {
      const which = missing.length > 1 ? `Steps ${missing.slice(0, -1).join(", ")} and ${missing.at(-1)} are` : `Step ${missing[0]} is`;
      task.append(element("p", "soft", `${which} not done yet, so this step runs with our solution of ${missing.length > 1 ? "them" : "it"}.`));
    }
    const project = exportCode(this.steps.slice(0, number - 1), this.work, true);
    if (this.work.passed[this.steps[0].slug] !== undefined && number > 1) task.append(fold("tokenizer.py so far: your earlier steps", project));
    if (step.given) task.append(fold("Given: BYTE_LETTERS and the two files", step.given));
    this.field.text = this.work.code[step.slug] ?? step.stub;

    this.runButton = button("Run", "Run your code and the tests (Ctrl+Enter)", () => void this.run());
    this.runButton.classList.add("primary");
    this.stopButton = button("Stop", "End the run", () => this.python.stop());
    this.stopButton.hidden = true;
    const reset = button("Reset", "Begin this step again; the browser's undo brings your code back", () => this.reset());
    const solve = button("Show our solution", "Read our solution below your code", () => this.toggleSolution(solve));
    solve.setAttribute("aria-expanded", "false");
    const notebook = element("a", "", "Notebook");
    notebook.href = `${this.data?.notebooks}/${step.notebook}.ipynb`;
    notebook.download = `${step.notebook}.ipynb`;
    notebook.title = "This step for Jupyter and VS Code";
    const all = element("a", "", "all nine");
    all.href = `${this.data?.notebooks}/build-notebooks.zip`;
    all.download = "build-notebooks.zip";
    all.title = "All steps with solutions, and GPT-2's files: they run without the internet";
    const actions = element("div", "actions"), downloads = element("span", "downloads");
    downloads.append(notebook, " · ", all);
    solve.hidden = downloads.hidden = this.hidesSolutions;
    this.state = element("span", "state");
    this.state.setAttribute("role", "status");
    actions.append(this.runButton, this.stopButton, solve, reset, downloads);
    this.solution = element("pre", "solution", step.solution.trim());
    this.solution.tabIndex = 0;
    this.solution.setAttribute("aria-label", "Our solution");
    this.solution.hidden = true;
    this.says = element("div", "says");
    this.says.setAttribute("role", "status");
    const left = element("section", "left");
    const keys = element("p", "keys", `Ctrl+Enter runs. Tab indents; to leave the field, press Esc, then Tab. A run is stopped after ${LIMIT_MS / 1000} seconds.`);
    this.kept = element("p", "keys");
    this.sayKept();
    left.append(head, task, this.field.element, actions, this.state, this.says, this.solution, keys, this.kept);

    const right = element("section", "right");
    this.tests = element("div", "tests");
    this.figure = element("div", "drawing");
    right.append(element("h3", "", "Tests"), this.tests, this.makeTextField(), this.figure);
    this.main.className = "main";
    this.main.replaceChildren(left, right);
    this.drawTests([]);
    this.drawEmptyFigure();
  }

  makeTextField() {
    const label = element("label", "own-text", "Your text for the figure"), area = element("textarea", "text");
    area.rows = 2;
    area.dir = "auto";
    area.maxLength = MAX_TEXT_CHARS;
    area.value = this.text;
    area.addEventListener("input", () => this.store((work) => (work.text = area.value)));
    area.addEventListener("change", () => this.hasRun && void this.run());
    label.append(area);
    return label;
  }

  get text() {
    return (this.work.text || this.data?.text || "").slice(0, MAX_TEXT_CHARS);
  }

  drawEmptyFigure() {
    this.hasRun = false;
    this.figure?.replaceChildren(element("p", "soft", "Press Run: the figure is drawn by your function."));
  }

  keepCode() {
    const { step } = this, { text } = this.field;
    this.store((work) => {
      if (text === step.stub) delete work.code[step.slug];
      else work.code[step.slug] = text;
    });
  }

  /** Change the stored work; what another tab has stored since stays. @param {(work: import("./progress.js").Work) => void} change */
  store(change) {
    this.work = newestWork(this.memory.read(), this.work);
    change(this.work);
    this.memory.write(this.work);
    this.sayKept();
  }

  /** Say whether code outlives the page. */
  sayKept() {
    this.kept?.replaceChildren(unkeptNote() ?? "Your code stays in this browser.");
  }

  followOtherTab() {
    this.work = newestWork(this.memory.read(), this.work);
    this.drawRail();
    if (this.place === CERTIFICATE) return;
    const text = this.work.code[this.step.slug] ?? this.step.stub;
    if (text !== this.field.text) this.field.text = text;
  }

  reset() {
    this.field.area.focus();
    this.field.insert(0, this.field.text.length, this.step.stub);
    this.field.mark(0);
    this.keepCode();
    this.says?.replaceChildren();
    this.drawTests([]);
    this.drawEmptyFigure();
  }

  /** @param {HTMLElement} opener */
  toggleSolution(opener) {
    if (!this.solution) return;
    this.solution.hidden = !this.solution.hidden;
    opener.textContent = this.solution.hidden ? "Show our solution" : "Hide our solution";
    opener.setAttribute("aria-expanded", String(!this.solution.hidden));
  }

  // ---- running

  /** @param {"loading" | "running" | ""} state */
  showState(state) {
    clearInterval(this.clock);
    if (!this.state || !this.runButton || !this.stopButton) return;
    const isBusy = state !== "", began = performance.now();
    const { state: line } = this;
    this.runButton.disabled = isBusy;
    this.stopButton.hidden = !isBusy;
    if (state === "loading") line.textContent = `Loading Python (${this.data?.megabytes} MB, once) …`;
    else line.textContent = "";
    if (state === "running") {
      this.clock = setInterval(() => {
        line.textContent = `Running: ${Math.floor((performance.now() - began) / 1000)} of ${LIMIT_MS / 1000} seconds`;
      }, 1000);
    }
  }

  /**
   * Run code of a step on its tests, and on fresh cases whose values stay in this page.
   * @param {Step} step @param {string} code @returns {Promise<Ran>}
   */
  async runStep(step, code) {
    const { text } = this;
    const response = await onceFree(() => post(this.data?.fresh ?? "", "fresh", { step: step.slug, text }));
    /** @type {import("../shared/wire_types.d.ts").FreshCases} */
    const { setup, cases } = await response.json();
    const needsFiles = this.steps.slice(0, this.steps.indexOf(step) + 1).some(({ given }) => given);
    const asked = { ...requestOf(this.steps, step, code, this.work), text, setup, cases: cases.map(({ expression }) => expression) };
    const result = await this.python.run(asked, needsFiles);
    const fresh = compared(result.error ? [] : cases, result.cases);
    return { ...result, fresh, hint: await this.hintFor(result, fresh, code) };
  }

  /** @param {Result} result @param {import("./progress.js").Compared} fresh @param {string} code */
  async hintFor({ error, tests }, { failed }, code) {
    const failure = error ?? failed?.got.error ?? (failed ? null : tests.find((test) => test.error)?.error);
    if (failure) return this.python.advise({ error: failure.message, line: failure.line });
    if (!failed) return "";
    return this.python.advise({ code, expression: failed.wanted.expression, got: failed.got.value, wanted: failed.wanted.value });
  }

  async run() {
    const { step } = this, code = this.field.text, run = ++this.nRuns;
    if (this.python.stopRun) return;
    this.field.mark(0);
    this.says?.replaceChildren();
    this.main.classList.add("running");
    try {
      const result = await this.runStep(step, code);
      if (run === this.nRuns) this.take(step, code, result);
    } catch (error) {
      if (run !== this.nRuns) return;
      const sentence = error instanceof StoppedError ? error.message : `This step could not be run: ${/** @type {Error} */ (error).message}`;
      this.drawTests([]);
      this.drawEmptyFigure();
      this.says?.replaceChildren(element("p", "note error", sentence));
    } finally {
      if (run === this.nRuns) this.main.classList.remove("running");
    }
  }

  /** @param {Step} step @param {string} code @param {Ran} result */
  take(step, code, result) {
    const { error, tests, hint, printed, figure, fresh } = result, isRight = isPassed(result);
    const says = [];
    const failure = error ?? fresh.failed?.got.error ?? tests.find((test) => !test.is_right)?.error;
    if (failure) {
      if (failure.line && !failure.where) this.field.mark(failure.line);
      says.push(element("p", "note error", describeFailure(failure)));
    }
    if (fresh.failed && !failure) says.push(describeCase(fresh.failed));
    if (hint) {
      const line = element("p", "note hint");
      line.append(element("b", "", "Hint: "), ...inlineCode(hint));
      says.push(line);
    }
    if (isRight) {
      this.store((work) => (work.passed[step.slug] = code));
      this.drawRail();
      says.push(this.makePraise(step, tests.length));
    }
    if (printed) {
      const shown = element("pre", "printed", printed);
      shown.tabIndex = 0;
      shown.setAttribute("aria-label", "What your code printed");
      says.push(element("h4", "", "Printed"), shown);
    }
    this.says?.replaceChildren(...says);
    this.drawTests(tests, fresh);
    this.hasRun = true;
    if (!this.figure) return;
    if (figure.length) drawFigure(this.figure, figure);
    else this.figure.replaceChildren(element("p", "soft", "Your function gives nothing to draw yet."));
  }

  /** @param {Step} step @param {number} nTests */
  makePraise(step, nTests) {
    const made = element("p", "passed"), next = this.steps[this.steps.indexOf(step) + 1];
    made.append(element("b", "", next ? `All ${counted(nTests, "test")} pass. ` : "Your tokenizer equals tiktoken. "));
    const on = next ? button(`Next: ${next.title}`, `Go on to ${next.title}`, () => this.show(next.slug)) : button("Certificate", "What your tokenizer gets right", () => this.show(CERTIFICATE));
    made.append(on);
    return made;
  }

  /** @param {TestResult[]} results in the order of the tests; [] before a run @param {import("./progress.js").Compared} [fresh] */
  drawTests(results, fresh) {
    let isFirst = true;
    this.tests?.replaceChildren(...this.step.cases.map(({ name, source }, i) => {
      const result = results[i], made = element("details", "test"), head = element("summary");
      made.classList.add(!result ? "open-question" : result.is_right ? "right" : "wrong");
      head.append(element("span", "sign", !result ? "○" : result.is_right ? "✓" : "✗"), name[0].toUpperCase() + name.slice(1));
      head.append(element("span", "unseen", !result ? "" : result.is_right ? ": passes" : ": fails"));
      made.append(head);
      if (result && !result.is_right) {
        made.append(describeTest(result));
        made.open = isFirst;
        isFirst = false;
      }
      made.append(element("pre", "", source));
      return made;
    }), drawFresh(fresh));
  }

  // ---- the certificate

  async showCertificate() {
    const run = this.nRuns;
    this.runButton = this.stopButton = undefined;
    this.state = element("p", "state");
    this.state.setAttribute("role", "status");
    this.main.className = "main one";
    const head = element("h2", "", "What your tokenizer gets right");
    const says = element("p", "soft", "Running your code again …");
    this.main.replaceChildren(head, says, this.state);
    /** @type {Map<string, Ran>} */
    const results = new Map();
    try {
      for (const step of this.steps) {
        const own = this.work.passed[step.slug];
        if (own !== undefined) results.set(step.slug, await this.runStep(step, own));
        if (run !== this.nRuns) return;
      }
    } catch (error) {
      if (run === this.nRuns) says.textContent = `The certificate needs a run of your code, which failed: ${/** @type {Error} */ (error).message}`;
      return;
    }
    const milestones = milestonesOf(this.data?.milestones ?? [], this.steps, results);
    const code = exportCode(this.steps, this.work, this.hidesSolutions);
    const save = async (/** @type {string} */ name) => saveFile(new Blob([certificateText(name, code, await this.python.digest(code))], { type: "text/plain" }), "certificate.txt");
    this.main.replaceChildren(head, makeCertificate(milestones, this.text, save), fold("tokenizer.py, your whole project", code));
  }
}

/** A paragraph with `code` in it, and *names*. @param {string} text */
function paragraph(text) {
  const made = element("p");
  made.append(...inlineCode(text));
  return made;
}

/** A text with its parts in backticks as code, and those in asterisks emphasized. @param {string} text */
const inlineCode = (text) =>
  text.split(/(`[^`]+`|\*[A-Z][^*]*\*)/).map((part) => (part.startsWith("`") ? element("code", "", part.slice(1, -1)) : /^\*.+\*$/.test(part) ? element("em", "", part.slice(1, -1)) : part));

/** @param {string} name @param {string} code */
function fold(name, code) {
  const made = element("details", "fold");
  made.append(element("summary", "", name), element("pre", "", code.trim()));
  return made;
}

/** @param {import("./python.js").Failure} failure */
const describeFailure = ({ message, line, where }) => (line ? `${where ? `In your code of ${where}, line ${line}` : `Line ${line}`}: ${message}` : message);

/** What the shortest failing example gave, as a sentence. @param {NonNullable<import("./progress.js").Compared["failed"]>} failed */
function describeCase({ wanted, got }) {
  const line = element("p", "note error");
  line.append(element("code", "", wanted.expression), " gave ", element("code", "", got.shown ?? ""), "; expected ", element("code", "", wanted.shown), ".");
  return line;
}

/** The line of the fresh examples among the tests. @param {import("./progress.js").Compared} [fresh] */
function drawFresh(fresh) {
  const made = element("details", "test"), failed = fresh?.failed, isRun = fresh !== undefined && fresh.n > 0;
  made.classList.add(!isRun ? "open-question" : failed ? "wrong" : "right");
  const head = element("summary", "", "");
  const title = isRun ? `Fresh random examples: ${count(fresh.nRight)} of ${count(fresh.n)} right` : "Fresh random examples, drawn at each run";
  head.append(element("span", "sign", !isRun ? "○" : failed ? "✗" : "✓"), title);
  made.append(head);
  if (failed) made.append(describeTest({ name: "", is_right: false, call: failed.wanted.expression, got: failed.got.shown, wanted: failed.wanted.shown, error: failed.got.error }));
  else made.append(element("p", "soft", "The values are compared in this page; your code does not see them."));
  return made;
}

/** What a failed test got and expected. @param {TestResult} result */
function describeTest({ call, got, wanted, error }) {
  const made = element("dl");
  if (error) made.append(element("dt", "", "stops with"), element("dd", "", describeFailure(error)));
  else if (call !== undefined) {
    made.append(element("dt", "", "expression"), element("dd", "", call), element("dt", "", "yours"), element("dd", "", got ?? ""), element("dt", "", "expected"), element("dd", "", wanted ?? ""));
  }
  return made;
}
